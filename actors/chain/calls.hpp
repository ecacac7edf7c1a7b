#pragma once

#include "actors/chain/contract_abi.hpp"

#include <string>
#include <string_view>

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

} // namespace credence::chain
