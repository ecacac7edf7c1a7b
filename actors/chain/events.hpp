#pragma once

#include "actors/chain/event_codec.hpp"
#include "actors/chain/events/attestation_events.hpp"
#include "actors/chain/events/bond_events.hpp"
#include "actors/chain/events/broker_events.hpp"
#include "actors/chain/events/discussion_events.hpp"
#include "actors/chain/events/market_events.hpp"
#include "actors/chain/events/profile_events.hpp"
#include "actors/chain/events/project_events.hpp"
#include "actors/chain/events/reputation_market_events.hpp"
#include "actors/chain/events/review_events.hpp"
#include "actors/chain/events/slash_events.hpp"
#include "actors/chain/events/system_events.hpp"
#include "actors/chain/events/token_events.hpp"
#include "actors/chain/events/vote_events.hpp"
#include "actors/chain/events/vouch_events.hpp"
#include "actors/chain/events/vouch_v2_events.hpp"
#include "actors/kernel/one_of.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

/// All events that are known, and what a log says by the contract it comes from and its first topic.
namespace credence::chain {

/// All kinds of events. What is a member here is looked for in logs.
using event_kinds =
  types<attestation_events::attestation_created, attestation_events::attestation_archived,
        attestation_events::attestation_claimed, attestation_events::attestation_restored,
        profile_events::profile_created, profile_events::mock_profile_created, profile_events::profile_archived,
        profile_events::profile_restored, profile_events::address_claim, profile_events::user_invited,
        profile_events::uninvited, profile_events::invites_added, profile_events::default_invites_changed,
        review_events::review_created, review_events::review_edited, review_events::review_archived,
        review_events::review_restored, review_events::review_fee_burned, vote_events::voted, vote_events::vote_changed,
        discussion_events::reply_added, discussion_events::reply_edited, vouch_events::vouched,
        vouch_events::vouch_increased, vouch_events::unvouched, vouch_events::marked_unhealthy, vouch_events::slashed,
        vouch_events::frozen, vouch_events::attestation_vouch_mapping_updated, vouch_events::deposited_to_rewards,
        vouch_events::withdrawn_from_rewards, vouch_events::protocol_fee_address_updated,
        vouch_events::entry_protocol_fee_basis_points_updated, vouch_events::entry_donation_fee_basis_points_updated,
        vouch_events::entry_vouchers_pool_fee_basis_points_updated, vouch_events::exit_fee_basis_points_updated,
        vouch_events::early_vouched, vouch_events::early_vouch_increased, vouch_v2_events::vouched,
        vouch_v2_events::vouch_increased, vouch_v2_events::vouch_decreased, vouch_v2_events::unvouched,
        vouch_v2_events::marked_unhealthy, vouch_v2_events::vouch_slashed, vouch_v2_events::account_slashed,
        vouch_v2_events::vouch_metadata_updated, vouch_v2_events::frozen, slash_events::slash_created,
        slash_events::slash_edited, slash_events::slash_cancelled, slash_events::slash_extended,
        slash_events::financial_slash_created, slash_events::slash_resolved, slash_events::resolution_executed,
        slash_events::edit_window_updated, slash_events::cancel_window_updated, slash_events::default_duration_updated,
        reputation_market_events::market_created, reputation_market_events::market_config_added,
        reputation_market_events::market_config_removed, reputation_market_events::votes_bought,
        reputation_market_events::votes_sold, reputation_market_events::market_updated,
        reputation_market_events::donation_withdrawn, reputation_market_events::donation_recipient_updated,
        reputation_market_events::market_graduated, reputation_market_events::market_funds_withdrawn,
        market_events::market_created, market_events::position_opened, market_events::position_closed,
        market_events::market_updated, market_events::market_update_failed, market_events::market_pause_state_updated,
        broker_events::post_created, broker_events::post_updated, broker_events::premium_post_fee_paid,
        broker_events::credit_balance_updated, broker_events::credit_used, bond_events::bond_created,
        bond_events::bond_archived, bond_events::bond_expiration_updated, project_events::project_created,
        project_events::project_archived, project_events::project_details_updated,
        project_events::project_manager_profile_ids_updated, rewards_events::credited, rewards_events::debited,
        rewards_events::reward_claimed, whuffie_events::transfer, whuffie_events::transfers_unlocked,
        contract_address_manager_events::contract_address_updated, any_contract_events::paused,
        any_contract_events::unpaused, any_contract_events::upgraded, any_contract_events::initialized,
        any_contract_events::role_granted, any_contract_events::role_revoked, any_contract_events::role_admin_changed>;
/// An event of any contract.
struct event : made_of<one_of, event_kinds> {
  using all = made_of<credence::one_of, event_kinds>;
  using all::all;
};

/// How an event is stored: `reason` says why it was not applied, and is empty where it was.
struct event_fate {
  event_status status = event_status::applied;
  std::string reason;
  friend bool operator==(const event_fate&, const event_fate&) = default;
};
event_fate failed(decode_error why);
/// Reasons of the fold. A record that the event needs is not there: `missing_vouch`, of a `kind` in small letters.
event_fate failed_missing(std::string_view kind);
/// What the event creates is there already.
event_fate failed_duplicate();
/// A constraint of the database, or a bound, forbids it: `refused:vouches_one_active`.
event_fate failed_refused(std::string_view constraint);

/// A log of a contract of ours that no known event begins with.
struct unknown_topic {};
/// A log of a known event whose topics or data are not what the event's declaration says.
struct undecodable {
  std::string_view event_name;
  decode_error why;
};
using decoded_log = std::variant<event, unknown_topic, undecodable>;

/// Reads a log of a contract of the kind `from`, which is not `any`. Never throws.
decoded_log decode_log(contract_kind from, std::span<const digest32> topics, std::span<const std::byte> data);
/// How a log is stored before the records have had their say: applied, ignored as `unknown_topic`, or failed.
event_fate fate_of(const decoded_log& log);

/// The log that an event is written as.
log_content encode_log(const event& entry);

std::string_view name_of(const event& entry);
/// `{"eventName":"ProfileCreated","args":{"profileId":7,…}}` with the contract's names. Integers are numbers from
/// -(2^53 - 1) to 2^53 - 1 and decimal strings beyond that; addresses carry their checksum; bytes are hex with `0x`.
std::string log_data(const event& entry);

/// What is known of an event.
struct event_info {
  contract_kind contract;
  std::string_view name;
  std::string signature;
  digest32 topic;
};
/// All of them, in the order of `event`.
std::span<const event_info> known_events();

} // namespace credence::chain
