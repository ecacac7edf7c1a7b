#pragma once

#include "actors/chain/event_description.hpp"

#include <string>

/// Events of posts of the broker.
namespace credence::chain {

/// How a post is shown.
enum class post_level : std::uint8_t { basic, premium };
template <>
inline constexpr std::uint8_t enum_size<post_level> = 2;

namespace broker_events {

/// A post of the broker, with its texts; the price is a text.
struct post_created {
  static constexpr event_name is{contract_kind::broker, "PostCreated"};
  onchain_post id;
  onchain_profile author_profile;
  post_level level{};
  std::string title;
  std::string description;
  std::string price;
  std::string metadata;
  unix_time created_at;
  static constexpr auto inputs() {
    using self = post_created;
    return field_list{indexed("id", &self::id),
                      indexed("authorProfileId", &self::author_profile),
                      plain("level", &self::level),
                      plain("title", &self::title),
                      plain("description", &self::description),
                      plain("price", &self::price),
                      plain("metadata", &self::metadata),
                      plain("createdAt", &self::created_at)};
  }
  friend bool operator==(const post_created&, const post_created&) = default;
};

/// The texts of a post changed.
struct post_updated {
  static constexpr event_name is{contract_kind::broker, "PostUpdated"};
  onchain_post id;
  onchain_profile author_profile;
  std::string title;
  std::string description;
  std::string price;
  std::string metadata;
  unix_time updated_at;
  static constexpr auto inputs() {
    using self = post_updated;
    return field_list{indexed("id", &self::id),
                      indexed("authorProfileId", &self::author_profile),
                      plain("title", &self::title),
                      plain("description", &self::description),
                      plain("price", &self::price),
                      plain("metadata", &self::metadata),
                      indexed("updatedAt", &self::updated_at)};
  }
  friend bool operator==(const post_updated&, const post_updated&) = default;
};

/// The fee of a premium post was paid.
struct premium_post_fee_paid {
  static constexpr event_name is{contract_kind::broker, "PremiumPostFeePaid"};
  onchain_post post;
  address token;
  uint256 fee;
  address recipient;
  static constexpr auto inputs() {
    using self = premium_post_fee_paid;
    return field_list{indexed("postId", &self::post), indexed("token", &self::token), indexed("fee", &self::fee),
                      plain("recipient", &self::recipient)};
  }
  friend bool operator==(const premium_post_fee_paid&, const premium_post_fee_paid&) = default;
};

/// A profile has another credit in a token.
struct credit_balance_updated {
  static constexpr event_name is{contract_kind::broker, "CreditBalanceUpdated"};
  onchain_profile profile;
  address token;
  uint256 old_balance;
  uint256 new_balance;
  static constexpr auto inputs() {
    using self = credit_balance_updated;
    return field_list{indexed("profileId", &self::profile), indexed("token", &self::token),
                      indexed("oldBalance", &self::old_balance), plain("newBalance", &self::new_balance)};
  }
  friend bool operator==(const credit_balance_updated&, const credit_balance_updated&) = default;
};

/// A post was paid with credit.
struct credit_used {
  static constexpr event_name is{contract_kind::broker, "CreditUsed"};
  onchain_profile profile;
  address token;
  onchain_post post;
  uint256 amount;
  uint256 remaining_balance;
  static constexpr auto inputs() {
    using self = credit_used;
    return field_list{indexed("profileId", &self::profile), indexed("token", &self::token),
                      plain("postId", &self::post), indexed("amount", &self::amount),
                      plain("remainingBalance", &self::remaining_balance)};
  }
  friend bool operator==(const credit_used&, const credit_used&) = default;
};

} // namespace broker_events

} // namespace credence::chain
