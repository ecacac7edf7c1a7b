#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/wei.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Functions and errors of contracts whose declaration is a setting, as their contracts are upgradeable.
namespace credence::wallets {

/// A text, or bytes as they are.
struct call_text {
  std::string value;
};
struct call_bytes {
  std::string value;
};
/// A value for a parameter of a function.
using call_value = std::variant<bool, uint256, address, call_text, call_bytes>;
struct named_value {
  std::string_view name;
  call_value value;
};

/// A function's name and parameters, as Solidity declares them: `voteFor(address targetContract, uint256 targetId, bool
/// isUpvote)`. Types may be uint8 to uint256, address, bool, string, bytes, tuples of these in parentheses, and, of
/// errors, bytes32.
class call_signature {
public:
  /// Reads a declaration; the error says what is wrong with it.
  static outcome<call_signature, std::string> parse(std::string_view declaration);

  /// Such as `voteFor(address,uint256,bool)`.
  const std::string& canonical() const noexcept { return canonical_; }
  /// The first four bytes of that signature's Keccak-256.
  std::string selector() const;
  /// What is wrong with calling it with values of these names and types; nothing where each parameter has one.
  std::optional<std::string> mismatch(std::span<const named_value> values) const;
  /// Selector and arguments: each parameter gets the value of its name, the rest of the values is left out. Throws
  /// std::invalid_argument for what `mismatch` finds, std::range_error for a number that its type does not hold.
  std::string call_with(std::span<const named_value> values) const;
  /// The name with the values in `data` (without a selector), such as `SelfReview(0xAb…)`: for people, bounded, with
  /// nothing in it that a terminal or page would obey. The canonical form where the data is something else.
  std::string show(std::span<const std::byte> data) const;

private:
  enum class type : std::uint8_t { number, flag, account, text, bytes, word, tuple };
  struct parameter {
    type kind{};
    unsigned bits = 0; // of a number
    std::string name;  // may be empty
    std::vector<parameter> members;

    bool dynamic() const;
    std::size_t head_bytes() const;
    std::string canonical() const;
  };
  struct parser;

  static std::string list_of(const std::vector<parameter>& parameters);
  static std::optional<std::string> mismatch_in(const std::vector<parameter>& parameters,
                                                std::span<const named_value> values);
  static bool fits(const parameter& wanted, const call_value& value);
  static void append(std::string& to, const parameter& wanted, std::span<const named_value> values);
  static std::string tuple_of(const std::vector<parameter>& parameters, std::span<const named_value> values);

  std::string name_;
  std::vector<parameter> parameters_;
  std::string canonical_;
};

} // namespace credence::wallets
