#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace credence::auth {

/// Bytes as the libraries of cryptography take them.
inline const unsigned char* raw(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
inline const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

} // namespace credence::auth
