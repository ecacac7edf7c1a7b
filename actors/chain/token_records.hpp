#pragma once

#include "actors/chain/chain_types.hpp"

#include <compare>

/// Rows made of events of the token and of rewards in it.
namespace credence::chain {

struct token_key {
  address holder;
  address token;
  friend auto operator<=>(const token_key&, const token_key&) = default;
};
struct token_row {
  uint256 balance;
  uint256 missing; // so much more than events told of was sent: what the holder had before the first block, at least
  friend bool operator==(const token_row&, const token_row&) = default;
};

/// Rewards that a contract owes an address.
struct reward_key {
  address holder;
  address contract;
  friend auto operator<=>(const reward_key&, const reward_key&) = default;
};
struct reward_row {
  uint256 balance;
  friend bool operator==(const reward_row&, const reward_row&) = default;
};

} // namespace credence::chain
