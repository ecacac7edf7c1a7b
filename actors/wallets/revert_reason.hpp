#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/wallets/call_signature.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::wallets {

/// Says why a contract reverted, from the bytes that it returned: the text of `Error(string)`, what `Panic(uint256)`
/// stands for, an error of the contract's own that is known. Others are told by their selector in hex.
class revert_reader {
public:
  /// Knows the errors of OpenZeppelin's contracts.
  revert_reader();
  /// Also those in `declarations`, with blanks between them, such as `SelfReview(address) ReviewNotFound()`; the error
  /// says which of them is wrong.
  static outcome<revert_reader, std::string> knowing(std::string_view declarations);

  /// For people; at most some 600 bytes, with nothing in it that a terminal or a page would obey.
  std::string reason(std::span<const std::byte> returned) const;

private:
  struct known_error {
    std::string selector;
    call_signature declared;
  };
  bool add(std::string_view declaration);

  std::vector<known_error> known_;
};

} // namespace credence::wallets
