#pragma once

#include "actors/chain/event_description.hpp"

/// Events of the token WHUF and rewards in it.
namespace credence::chain {

namespace rewards_events {

/// Rewards of an address grew.
struct credited {
  static constexpr event_name is{contract_kind::rewards, "Credited"};
  address accruing_contract;
  address user;
  uint256 amount;
  uint256 new_committed_balance;
  static constexpr auto inputs() {
    using self = credited;
    return field_list{indexed("accruingContract", &self::accruing_contract), indexed("user", &self::user),
                      plain("amount", &self::amount), plain("newCommittedBalance", &self::new_committed_balance)};
  }
  friend bool operator==(const credited&, const credited&) = default;
};

/// Rewards of an address shrank.
struct debited {
  static constexpr event_name is{contract_kind::rewards, "Debited"};
  address accruing_contract;
  address user;
  uint256 amount;
  uint256 new_committed_balance;
  static constexpr auto inputs() {
    using self = debited;
    return field_list{indexed("accruingContract", &self::accruing_contract), indexed("user", &self::user),
                      plain("amount", &self::amount), plain("newCommittedBalance", &self::new_committed_balance)};
  }
  friend bool operator==(const debited&, const debited&) = default;
};

/// Rewards were paid out.
struct reward_claimed {
  static constexpr event_name is{contract_kind::rewards, "RewardClaimed"};
  address user;
  uint256 amount;
  static constexpr auto inputs() {
    using self = reward_claimed;
    return field_list{indexed("user", &self::user), plain("amount", &self::amount)};
  }
  friend bool operator==(const reward_claimed&, const reward_claimed&) = default;
};

} // namespace rewards_events

namespace whuffie_events {

/// WHUF went from one address to another; address 0 when it is minted or burned.
struct transfer {
  static constexpr event_name is{contract_kind::whuffie, "Transfer"};
  address from;
  address to;
  uint256 value;
  static constexpr auto inputs() {
    using self = transfer;
    return field_list{indexed("from", &self::from), indexed("to", &self::to), plain("value", &self::value)};
  }
  friend bool operator==(const transfer&, const transfer&) = default;
};

/// WHUF may be sent from now on.
struct transfers_unlocked {
  static constexpr event_name is{contract_kind::whuffie, "TransfersUnlocked"};
  address owner;
  unix_time timestamp;
  static constexpr auto inputs() {
    using self = transfers_unlocked;
    return field_list{indexed("owner", &self::owner), plain("timestamp", &self::timestamp)};
  }
  friend bool operator==(const transfers_unlocked&, const transfers_unlocked&) = default;
};

} // namespace whuffie_events

} // namespace credence::chain
