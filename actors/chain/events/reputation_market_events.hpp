#pragma once

#include "actors/chain/event_description.hpp"

/// Events of markets in ether.
namespace credence::chain {

/// A kind of market that may be opened.
struct market_config {
  uint256 liquidity;
  uint256 base_price;
  uint256 creation_cost;
  static constexpr auto inputs() {
    using self = market_config;
    return field_list{plain("liquidity", &self::liquidity), plain("basePrice", &self::base_price),
                      plain("creationCost", &self::creation_cost)};
  }
  friend bool operator==(const market_config&, const market_config&) = default;
};

namespace reputation_market_events {

/// A market on a profile opened.
struct market_created {
  static constexpr event_name is{contract_kind::reputation_market, "MarketCreated"};
  onchain_profile profile;
  address creator;
  market_config config;
  static constexpr auto inputs() {
    using self = market_created;
    return field_list{indexed("profileId", &self::profile), indexed("creator", &self::creator),
                      plain("config", &self::config)};
  }
  friend bool operator==(const market_created&, const market_created&) = default;
};

/// New markets may have this configuration.
struct market_config_added {
  static constexpr event_name is{contract_kind::reputation_market, "MarketConfigAdded"};
  uint256 config_index;
  market_config config;
  static constexpr auto inputs() {
    using self = market_config_added;
    return field_list{indexed("configIndex", &self::config_index), plain("config", &self::config)};
  }
  friend bool operator==(const market_config_added&, const market_config_added&) = default;
};

/// New markets may not have this configuration any more; the last one takes its index.
struct market_config_removed {
  static constexpr event_name is{contract_kind::reputation_market, "MarketConfigRemoved"};
  uint256 config_index;
  market_config config;
  static constexpr auto inputs() {
    using self = market_config_removed;
    return field_list{indexed("configIndex", &self::config_index), plain("config", &self::config)};
  }
  friend bool operator==(const market_config_removed&, const market_config_removed&) = default;
};

/// Votes were bought; `funds` is what was paid, in wei, with fees and donation.
struct votes_bought {
  static constexpr event_name is{contract_kind::reputation_market, "VotesBought"};
  onchain_profile profile;
  address buyer;
  bool is_positive = false;
  uint256 amount;
  uint256 funds;
  unix_time bought_at;
  static constexpr auto inputs() {
    using self = votes_bought;
    return field_list{
      indexed("profileId", &self::profile), indexed("buyer", &self::buyer), indexed("isPositive", &self::is_positive),
      plain("amount", &self::amount),       plain("funds", &self::funds),   plain("boughtAt", &self::bought_at)};
  }
  friend bool operator==(const votes_bought&, const votes_bought&) = default;
};

/// Votes were sold; `funds` is what was paid out, in wei, less the fee.
struct votes_sold {
  static constexpr event_name is{contract_kind::reputation_market, "VotesSold"};
  onchain_profile profile;
  address seller;
  bool is_positive = false;
  uint256 amount;
  uint256 funds;
  unix_time sold_at;
  static constexpr auto inputs() {
    using self = votes_sold;
    return field_list{
      indexed("profileId", &self::profile), indexed("seller", &self::seller), indexed("isPositive", &self::is_positive),
      plain("amount", &self::amount),       plain("funds", &self::funds),     plain("soldAt", &self::sold_at)};
  }
  friend bool operator==(const votes_sold&, const votes_sold&) = default;
};

/// Votes and prices of a market after a trade, and by how much they moved.
struct market_updated {
  static constexpr event_name is{contract_kind::reputation_market, "MarketUpdated"};
  onchain_profile profile;
  uint256 vote_trust;
  uint256 vote_distrust;
  uint256 trust_price;
  uint256 distrust_price;
  wei_change delta_vote_trust;
  wei_change delta_vote_distrust;
  wei_change delta_trust_price;
  wei_change delta_distrust_price;
  uint256 block_number;
  unix_time updated_at;
  static constexpr auto inputs() {
    using self = market_updated;
    return field_list{indexed("profileId", &self::profile),
                      indexed("voteTrust", &self::vote_trust),
                      indexed("voteDistrust", &self::vote_distrust),
                      plain("trustPrice", &self::trust_price),
                      plain("distrustPrice", &self::distrust_price),
                      plain("deltaVoteTrust", &self::delta_vote_trust),
                      plain("deltaVoteDistrust", &self::delta_vote_distrust),
                      plain("deltaTrustPrice", &self::delta_trust_price),
                      plain("deltaDistrustPrice", &self::delta_distrust_price),
                      plain("blockNumber", &self::block_number),
                      plain("updatedAt", &self::updated_at)};
  }
  friend bool operator==(const market_updated&, const market_updated&) = default;
};

/// Donations were paid out.
struct donation_withdrawn {
  static constexpr event_name is{contract_kind::reputation_market, "DonationWithdrawn"};
  address recipient;
  uint256 amount;
  static constexpr auto inputs() {
    using self = donation_withdrawn;
    return field_list{indexed("recipient", &self::recipient), plain("amount", &self::amount)};
  }
  friend bool operator==(const donation_withdrawn&, const donation_withdrawn&) = default;
};

/// Donations of a market go to another address.
struct donation_recipient_updated {
  static constexpr event_name is{contract_kind::reputation_market, "DonationRecipientUpdated"};
  onchain_profile profile;
  address old_recipient;
  address new_recipient;
  static constexpr auto inputs() {
    using self = donation_recipient_updated;
    return field_list{indexed("profileId", &self::profile), indexed("oldRecipient", &self::old_recipient),
                      indexed("newRecipient", &self::new_recipient)};
  }
  friend bool operator==(const donation_recipient_updated&, const donation_recipient_updated&) = default;
};

/// Trading on a market is over.
struct market_graduated {
  static constexpr event_name is{contract_kind::reputation_market, "MarketGraduated"};
  onchain_profile profile;
  static constexpr auto inputs() {
    using self = market_graduated;
    return field_list{indexed("profileId", &self::profile)};
  }
  friend bool operator==(const market_graduated&, const market_graduated&) = default;
};

/// The funds of a market that is over were taken out.
struct market_funds_withdrawn {
  static constexpr event_name is{contract_kind::reputation_market, "MarketFundsWithdrawn"};
  onchain_profile profile;
  address withdrawer;
  uint256 amount;
  static constexpr auto inputs() {
    using self = market_funds_withdrawn;
    return field_list{indexed("profileId", &self::profile), indexed("withdrawer", &self::withdrawer),
                      plain("amount", &self::amount)};
  }
  friend bool operator==(const market_funds_withdrawn&, const market_funds_withdrawn&) = default;
};

} // namespace reputation_market_events

} // namespace credence::chain
