#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/wallets/action_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::wallets {

/// A text of strangers, such as of a contract, for people to read: at most `most` bytes of UTF-8 and `…` where it was
/// cut, `?` in place of control characters, of what turns the direction of writing, and of bytes that are no UTF-8.
std::string harmless(std::string_view text, std::size_t most);

/// What a failed transaction is stored with: a word for machines and the text of the refusal, such as `nonce_conflict:
/// …`.
std::string failure_reason(const refusal& why);
/// The refusal that a stored reason says; `blockchain_unavailable` for one that has no known word.
refusal refusal_of(std::string_view reason);

/// Why a transaction failed that is in that block.
refusal reverted_in(std::uint64_t block);

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
