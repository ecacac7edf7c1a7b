#pragma once

#include "actors/chain/event_description.hpp"

#include <string>

/// Events of vouches in WHUF.
namespace credence::chain {

namespace vouch_v2_events {

/// A vouch in WHUF: `balance` after the fee, which was burned. `target` is a userkey, whose hash is `target_hash`.
struct vouched {
  static constexpr event_name is{contract_kind::vouch_v2, "Vouched"};
  address author;
  digest32 target_hash{};
  onchain_vouch vouch;
  std::string target;
  uint256 balance;
  uint256 fee;
  std::string metadata;
  static constexpr auto inputs() {
    using self = vouched;
    return field_list{indexed("author", &self::author),  indexed("targetHash", &self::target_hash),
                      plain("vouchId", &self::vouch),    plain("target", &self::target),
                      plain("balance", &self::balance),  plain("fee", &self::fee),
                      plain("metadata", &self::metadata)};
  }
  friend bool operator==(const vouched&, const vouched&) = default;
};

/// More was put into a vouch in WHUF.
struct vouch_increased {
  static constexpr event_name is{contract_kind::vouch_v2, "VouchIncreased"};
  onchain_vouch vouch;
  uint256 increment;
  uint256 fee;
  uint256 new_balance;
  static constexpr auto inputs() {
    using self = vouch_increased;
    return field_list{indexed("vouchId", &self::vouch), plain("increment", &self::increment), plain("fee", &self::fee),
                      plain("newBalance", &self::new_balance)};
  }
  friend bool operator==(const vouch_increased&, const vouch_increased&) = default;
};

/// A part of a vouch in WHUF was taken out.
struct vouch_decreased {
  static constexpr event_name is{contract_kind::vouch_v2, "VouchDecreased"};
  onchain_vouch vouch;
  uint256 decrement;
  uint256 fee;
  uint256 new_balance;
  static constexpr auto inputs() {
    using self = vouch_decreased;
    return field_list{indexed("vouchId", &self::vouch), plain("decrement", &self::decrement), plain("fee", &self::fee),
                      plain("newBalance", &self::new_balance)};
  }
  friend bool operator==(const vouch_decreased&, const vouch_decreased&) = default;
};

/// A vouch in WHUF was taken back. The vouch in ether has an event of the same signature with more topics.
struct unvouched {
  static constexpr event_name is{contract_kind::vouch_v2, "Unvouched"};
  onchain_vouch vouch;
  uint256 prev_balance;
  uint256 fee;
  uint256 payout;
  static constexpr auto inputs() {
    using self = unvouched;
    return field_list{indexed("vouchId", &self::vouch), plain("prevBalance", &self::prev_balance),
                      plain("fee", &self::fee), plain("payout", &self::payout)};
  }
  friend bool operator==(const unvouched&, const unvouched&) = default;
};

/// The author says that the vouch in WHUF ended in distrust.
struct marked_unhealthy {
  static constexpr event_name is{contract_kind::vouch_v2, "MarkedUnhealthy"};
  onchain_vouch vouch;
  address author;
  digest32 target_hash{};
  static constexpr auto inputs() {
    using self = marked_unhealthy;
    return field_list{indexed("vouchId", &self::vouch), indexed("author", &self::author),
                      indexed("targetHash", &self::target_hash)};
  }
  friend bool operator==(const marked_unhealthy&, const marked_unhealthy&) = default;
};

/// A vouch in WHUF was cut.
struct vouch_slashed {
  static constexpr event_name is{contract_kind::vouch_v2, "VouchSlashed"};
  onchain_vouch vouch;
  uint256 prev_balance;
  uint256 new_balance;
  uint256 amount;
  static constexpr auto inputs() {
    using self = vouch_slashed;
    return field_list{indexed("vouchId", &self::vouch), plain("prevBalance", &self::prev_balance),
                      plain("newBalance", &self::new_balance), plain("amount", &self::amount)};
  }
  friend bool operator==(const vouch_slashed&, const vouch_slashed&) = default;
};

/// The vouches in WHUF of an account were cut; each cut comes as `vouch_slashed`.
struct account_slashed {
  static constexpr event_name is{contract_kind::vouch_v2, "AccountSlashed"};
  address account;
  uint256 bps;
  uint256 amount_applied;
  static constexpr auto inputs() {
    using self = account_slashed;
    return field_list{indexed("account", &self::account), plain("bps", &self::bps),
                      plain("amountApplied", &self::amount_applied)};
  }
  friend bool operator==(const account_slashed&, const account_slashed&) = default;
};

/// The metadata of a vouch in WHUF changed.
struct vouch_metadata_updated {
  static constexpr event_name is{contract_kind::vouch_v2, "VouchMetadataUpdated"};
  onchain_vouch vouch;
  std::string metadata;
  static constexpr auto inputs() {
    using self = vouch_metadata_updated;
    return field_list{indexed("vouchId", &self::vouch), plain("metadata", &self::metadata)};
  }
  friend bool operator==(const vouch_metadata_updated&, const vouch_metadata_updated&) = default;
};

/// The vouches in WHUF of an account are frozen, or free again.
struct frozen {
  static constexpr event_name is{contract_kind::vouch_v2, "Frozen"};
  address account;
  bool is_frozen = false;
  static constexpr auto inputs() {
    using self = frozen;
    return field_list{indexed("account", &self::account), plain("isFrozen", &self::is_frozen)};
  }
  friend bool operator==(const frozen&, const frozen&) = default;
};

} // namespace vouch_v2_events

} // namespace credence::chain
