#pragma once

#include "actors/chain/contract_abi.hpp"

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

/// Rows made of events of the broker: posts, the fees of premium posts, and credit that posts may be paid with.
namespace credence::chain {

using broker_post_id = id<broker_post_tag>;

inline constexpr std::array<std::string_view, 2> post_level_words{"BASIC", "PREMIUM"};

struct post_row {
  profile_id author;
  post_level level{};
  std::string title, description, price, metadata; // as the event has them
  unix_time created_at, updated_at;
  friend bool operator==(const post_row&, const post_row&) = default;
};

/// What was paid for a premium post. A row of its own, as no contract promises that the post is told first.
struct post_fee_row {
  address token;
  uint256 amount;
  address recipient;
  friend bool operator==(const post_fee_row&, const post_fee_row&) = default;
};

struct credit_key {
  profile_id holder;
  address token;
  friend auto operator<=>(const credit_key&, const credit_key&) = default;
};
struct credit_row {
  uint256 balance;
  friend bool operator==(const credit_row&, const credit_row&) = default;
};

} // namespace credence::chain
