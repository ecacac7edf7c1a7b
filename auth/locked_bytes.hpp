#pragma once

#include <cstddef>
#include <span>

namespace credence::auth {

/// Memory for keys in the clear: pages of its own, which are kept out of swap where the system allows it and out of
/// core dumps, and are wiped before they are given back. Filled with zeros at first.
class locked_bytes {
public:
  /// Throws std::bad_alloc where there is no memory.
  explicit locked_bytes(std::size_t size);
  locked_bytes(locked_bytes&& other) noexcept;
  locked_bytes& operator=(locked_bytes&&) = delete;
  ~locked_bytes();

  unsigned char* data() noexcept { return data_; }
  const unsigned char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::span<const std::byte> bytes() const noexcept { return {reinterpret_cast<const std::byte*>(data_), size_}; }

private:
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace credence::auth
