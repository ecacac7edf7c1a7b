#pragma once

#include "actors/chain/abi.hpp"
#include "actors/chain/contract_abi.hpp"
#include "actors/domain/outcome.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Functions of contracts that are read: texts and parents, which events leave out. What they return is declared in
/// contracts.abi.
namespace credence::chain {

/// The first four bytes of the Keccak-256 of a function's signature, such as `reviews(uint256)`.
std::string selector_of(std::string_view signature);

/// What a node is asked to run, for `eth_call`: a selector and the arguments.
template <class... T>
std::string call_data(std::string_view signature, const T&... arguments) {
  return selector_of(signature) + abi_encode(arguments...);
}

namespace calls {

inline constexpr std::string_view reviews = "reviews(uint256)";
inline constexpr std::string_view vouches = "vouches(uint256)";
inline constexpr std::string_view replies_by_id = "repliesById(uint256[])";
inline constexpr std::string_view invite_info = "inviteInfoForProfileId(uint256)";
inline constexpr std::string_view balance_of = "balanceOf(address)";

} // namespace calls

// Functions of contracts whose declaration is a setting, as their source is not public.

/// What a getter returned, by name: whole numbers without a sign, and texts. Everything else that it returned is left
/// out.
using values_by_name = std::map<std::string, std::variant<uint256, std::string>, std::less<>>;

/// A function that takes an id and returns a record, declared as Solidity does it:
/// `bonds(uint256) returns (uint256 bondId, uint256 subjectProfileId, string statement)`. A struct has parentheses of
/// its own: `returns ((…))`. Types may be uint, int, bool, address, bytes1 to bytes32, bytes and string, and lists of
/// these (`[]`).
class getter {
public:
  /// Reads a declaration; the error says what is wrong with it.
  static outcome<getter, std::string> parse(std::string_view declaration);

  /// What a node is asked to run for this id.
  std::string call_for(std::int32_t id) const;
  /// What the function returned; more bytes behind are allowed.
  outcome<values_by_name, decode_error> read(std::span<const std::byte> data) const;

  /// The first of these names that a value of that type is returned by; empty: none is.
  std::string_view number_called(std::span<const std::string_view> names) const {
    return called(names, value_kind::number);
  }
  std::string_view text_called(std::span<const std::string_view> names) const {
    return called(names, value_kind::text);
  }

private:
  enum class value_kind : std::uint8_t { number, text, in_place, somewhere }; // the latter: at an offset
  struct value {
    std::string name;
    value_kind kind{};
  };
  static std::variant<value, std::string> parse_value(std::string_view declaration);
  std::string_view called(std::span<const std::string_view> names, value_kind kind) const;
  bool behind_offset() const; // the struct that is returned

  std::string signature_;
  std::vector<value> values_;
  bool is_struct_ = false;
};

/// Reads `chain.reads.bond`: it must return whom a bond is about (`subjectProfileId` or `subject`, a number).
outcome<getter, std::string> bond_getter(std::string_view declaration);
/// Reads `chain.reads.invite`: it must return who invited a profile (`invitedBy`, `inviterId` or `inviter`, a number).
outcome<getter, std::string> invite_getter(std::string_view declaration);

/// What a bond is, as far as its contract returned it.
struct returned_bond {
  std::string statement;
  std::string expiration; // as a text that `expiration_in` may read
  uint256 subject;
};
outcome<returned_bond, std::string> bond_in(const getter& declared, std::int32_t onchain,
                                            std::span<const std::byte> data);
/// Who invited a profile; 0: nobody.
outcome<uint256, std::string> inviter_in(const getter& declared, std::span<const std::byte> data);

} // namespace credence::chain
