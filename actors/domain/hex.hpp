#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace credence {

/// Reads two hexadecimal digits a byte, in any case, without a prefix. False when `text` is
/// not exactly that many; `out` is then worthless.
bool decode_hex(std::string_view text, std::span<std::byte> out);

/// Appends two lower-case digits a byte.
void append_hex(std::string& out, std::span<const std::byte> bytes);

} // namespace credence
