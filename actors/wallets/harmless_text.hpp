#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace credence::wallets {

/// A text of strangers, such as of a contract, for people to read: at most `most` bytes of UTF-8 and `…` where it was
/// cut, `?` in place of control characters, of what turns the direction of writing, and of bytes that are no UTF-8.
std::string harmless(std::string_view text, std::size_t most);

} // namespace credence::wallets
