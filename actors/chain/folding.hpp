#pragma once

#include "actors/chain/chain_state.hpp"

#include <string_view>

namespace credence::chain {

struct vouch_told;        // vouch_fold.cpp
struct market_trade_told; // market_fold.cpp
struct market_price_told;

/// One event on its way into the rows. Each `on` says what becomes of it; rows that it changed before it found that it
/// must fail are taken back by `fold`.
class folding {
public:
  folding(chain_rows& rows, const fold_settings& how, const event_place& where, fold_effects& effects)
    : rows_(rows), how_(how), where_(where), effects_(effects) {}

  event_fate on(const attestation_events::attestation_created& entry);
  event_fate on(const attestation_events::attestation_claimed& entry);
  event_fate on(const attestation_events::attestation_archived& entry) {
    return archive_attestation(entry.attestation, true);
  }
  event_fate on(const attestation_events::attestation_restored& entry) {
    return archive_attestation(entry.attestation, false);
  }

  event_fate on(const profile_events::profile_created& entry);
  event_fate on(const profile_events::mock_profile_created& entry);
  event_fate on(const profile_events::profile_archived& entry) { return archive_profile(entry.profile, true); }
  event_fate on(const profile_events::profile_restored& entry) { return archive_profile(entry.profile, false); }
  event_fate on(const profile_events::address_claim& entry);
  event_fate on(const profile_events::user_invited& entry);
  event_fate on(const profile_events::uninvited& entry);
  event_fate on(const profile_events::invites_added& entry);
  event_fate on(const profile_events::default_invites_changed& entry);

  event_fate on(const review_events::review_created& entry);
  event_fate on(const review_events::review_edited& entry);
  event_fate on(const review_events::review_archived& entry) { return archive_review(entry.review, true); }
  event_fate on(const review_events::review_restored& entry) { return archive_review(entry.review, false); }
  event_fate on(const review_events::review_fee_burned&) { return {}; }

  event_fate on(const vote_events::voted& entry);
  event_fate on(const vote_events::vote_changed& entry);

  event_fate on(const discussion_events::reply_added& entry);
  event_fate on(const discussion_events::reply_edited& entry);

  event_fate on(const vouch_events::vouched& made);
  event_fate on(const vouch_events::early_vouched& made);
  event_fate on(const vouch_events::vouch_increased& more);
  event_fate on(const vouch_events::early_vouch_increased& more);
  event_fate on(const vouch_events::unvouched& ended);
  event_fate on(const vouch_events::marked_unhealthy& marked) {
    return mark_unhealthy(contract_kind::vouch, marked.vouch);
  }
  event_fate on(const vouch_events::slashed& cut);
  event_fate on(const vouch_events::frozen& change);
  event_fate on(const vouch_events::attestation_vouch_mapping_updated& moved);
  event_fate on(const vouch_events::deposited_to_rewards& paid);
  event_fate on(const vouch_events::withdrawn_from_rewards& taken);
  event_fate on(const vouch_events::protocol_fee_address_updated& told);
  event_fate on(const vouch_events::entry_protocol_fee_basis_points_updated& told);
  event_fate on(const vouch_events::entry_donation_fee_basis_points_updated& told);
  event_fate on(const vouch_events::entry_vouchers_pool_fee_basis_points_updated& told);
  event_fate on(const vouch_events::exit_fee_basis_points_updated& told);

  event_fate on(const vouch_v2_events::vouched& made);
  event_fate on(const vouch_v2_events::vouch_increased& more);
  event_fate on(const vouch_v2_events::vouch_decreased& less);
  event_fate on(const vouch_v2_events::unvouched& ended);
  event_fate on(const vouch_v2_events::marked_unhealthy& marked) {
    return mark_unhealthy(contract_kind::vouch_v2, marked.vouch);
  }
  event_fate on(const vouch_v2_events::vouch_slashed& cut);
  event_fate on(const vouch_v2_events::account_slashed&) { return {}; } // each cut comes as `vouch_slashed`
  event_fate on(const vouch_v2_events::vouch_metadata_updated& told);
  event_fate on(const vouch_v2_events::frozen& change);

  event_fate on(const bond_events::bond_created& made);
  event_fate on(const bond_events::bond_archived& ended);
  event_fate on(const bond_events::bond_expiration_updated& change);

  event_fate on(const broker_events::post_created& post);
  event_fate on(const broker_events::post_updated& post);
  event_fate on(const broker_events::premium_post_fee_paid& paid);
  event_fate on(const broker_events::credit_balance_updated& credit);
  event_fate on(const broker_events::credit_used& credit);

  event_fate on(const project_events::project_created& made);
  event_fate on(const project_events::project_archived& change);
  event_fate on(const project_events::project_details_updated& details);
  event_fate on(const project_events::project_manager_profile_ids_updated& team);

  event_fate on(const whuffie_events::transfer& moved);
  event_fate on(const whuffie_events::transfers_unlocked& unlocked);
  event_fate on(const rewards_events::credited& reward);
  event_fate on(const rewards_events::debited& reward);
  event_fate on(const rewards_events::reward_claimed&) { return {}; }

  event_fate on(const slash_events::slash_created& made);
  event_fate on(const slash_events::slash_edited& texts);
  event_fate on(const slash_events::slash_extended& longer);
  event_fate on(const slash_events::slash_cancelled& ended);
  event_fate on(const slash_events::slash_resolved& resolved);
  event_fate on(const slash_events::financial_slash_created& told);
  event_fate on(const slash_events::resolution_executed& done);
  event_fate on(const slash_events::edit_window_updated& told);
  event_fate on(const slash_events::cancel_window_updated& told);
  event_fate on(const slash_events::default_duration_updated& told);

  event_fate on(const reputation_market_events::market_created& made);
  event_fate on(const reputation_market_events::market_config_added& told);
  event_fate on(const reputation_market_events::market_config_removed& told);
  event_fate on(const reputation_market_events::votes_bought& trade);
  event_fate on(const reputation_market_events::votes_sold& trade);
  event_fate on(const reputation_market_events::market_updated& told);
  event_fate on(const reputation_market_events::donation_withdrawn& paid);
  event_fate on(const reputation_market_events::donation_recipient_updated& change);
  event_fate on(const reputation_market_events::market_graduated& ended);
  event_fate on(const reputation_market_events::market_funds_withdrawn& taken);

  event_fate on(const market_events::market_created& made);
  event_fate on(const market_events::position_opened& trade);
  event_fate on(const market_events::position_closed& trade);
  event_fate on(const market_events::market_updated& told);
  event_fate on(const market_events::market_pause_state_updated& change);
  event_fate on(const market_events::market_update_failed&) { return {}; }

  event_fate on(const any_events::paused&) { return set_parameter("paused", "true"); }
  event_fate on(const any_events::unpaused&) { return set_parameter("paused", "false"); }
  event_fate on(const any_events::upgraded& entry) {
    return set_parameter("implementation", lower_text(entry.implementation));
  }
  event_fate on(const any_events::initialized&) { return {}; }
  event_fate on(const any_events::role_granted&) { return {}; }
  event_fate on(const any_events::role_revoked&) { return {}; }
  event_fate on(const any_events::role_admin_changed&) { return {}; }

  /// Events of contracts that this fold does not know.
  event_fate on(const auto&) { throw_unknown(); }

  /// Counts the ids that contracts give out; an id that skips others is a gap.
  void note_id(std::string_view of, std::int64_t first, std::int64_t id);

private:
  [[noreturn]] static void throw_unknown();

  /// Our id for a contract's; nothing where it is beyond the greatest.
  template <class Tag>
  std::optional<id<Tag>> ours(const onchain_id<Tag>& from) const {
    const auto number = ours_of(from.value);
    return number ? std::optional{id<Tag>{*number}} : std::nullopt;
  }
  std::optional<std::int32_t> ours_of(std::int32_t onchain) const;
  static event_fate out_of_range() { return failed(decode_error::id_out_of_range); }

  // people
  const profile_row* profile(profile_id of) const; // also an archived one
  user_id new_user(bool active);
  std::int32_t next_id(const std::string& of);
  void dirty(user_id of) { effects_.dirty.insert(of); }
  /// If `from` has neither a profile nor a project it is merged into `to`; others only lose what moved.
  void take_over(user_id from, user_id to);
  void move_subject(const subject_key& key, user_id to);
  void take_address(const address& which, user_id to);
  /// The oldest address that is left becomes the primary one.
  void choose_primary(profile_id of);
  user_id user_for(profile_id created);
  std::optional<profile_id> owner_of(const address& which) const; // of a live profile or an archived one
  /// Gives the account, and the reviews it received, to the profile's user.
  void attest(profile_id of, people::account_service service, const std::string& account);
  void accept_invitations(profile_id created, const address& whose);
  event_fate set_invites(profile_id of, const uint256& count);
  event_fate archive_profile(const onchain_profile& which, bool archived);
  event_fate let_go(profile_id of, const address& which);
  event_fate archive_attestation(const onchain_attestation& which, bool archived);
  std::vector<invitation_id> invitations_open_to(const address& recipient) const;
  std::optional<invitation_id> open_invitation(profile_id sender, const address& recipient) const;

  // what people write
  subject_place subject_of(const subject_key& key);
  event_fate archive_review(const onchain_review& which, bool archived);
  std::optional<target_place> target_of(const address& contract, const onchain_target& which) const;
  std::optional<contract_kind> kind_of(const address& contract) const;
  void dirty_of_vote(const target_place& target, profile_id voter);
  event_fate set_parameter(const std::string& name, const std::string& value);

  // vouches
  event_fate make_vouch(const vouch_told& told);
  event_fate increase_vouch(const vouch_told& told);
  event_fate mark_unhealthy(contract_kind contract, const onchain_vouch& which);
  event_fate set_fee(const std::string& name, const uint256& basis_points);
  std::optional<subject_place> subject_of_profile(profile_id whom);
  void bind_placeholder(profile_id reserved, const subject_place& subject);
  void share_fees(profile_id pool, profile_id author, const wei& fees);
  std::uint32_t fee(const std::string& name, std::uint32_t at_first) const;
  void put_vouch(const vouch_key& key, vouch_row row); // its author's and its subject's inputs move
  /// Whether the contract lets the author vouch in ether once more, for that profile.
  bool may_vouch(profile_id author, profile_id pool) const;
  std::vector<vouch_key> active_vouches(contract_kind contract, const vouch_index& of) const;
  const vouch_row* active_vouch(const vouch_key& key) const;
  /// An active vouch in WHUF comes to another balance; `change` does what else its event says, before that.
  template <class Change>
  event_fate move_balance(const onchain_vouch& which, const wei& new_balance, Change change);
  void end_vouch(const vouch_key& key, vouch_row row, const wei& paid_out);
  void freeze_vouches(contract_kind contract, const vouch_index& of, bool frozen);
  void count_mismatch(); // what an event says differs from what earlier ones come to

  // the broker
  event_fate set_credit(const onchain_profile& of, const address& token, const uint256& balance);

  // projects
  /// Whom a project of that account is of; made where nobody has named the account.
  user_id user_of_account(const account_details& account);
  std::optional<std::vector<profile_id>> managers_of(const std::vector<onchain_profile>& told) const;
  /// Whoever takes an account takes its project, unless they have one.
  void take_project(const subject_row& subject, user_id to);
  template <class Change>
  event_fate change_project(const onchain_project& which, Change change);
  bool has_project(user_id who) const { return !rows_.projects.with(who).empty(); }

  // slashes
  user_id user_named(const subject_key& key) const;
  static void end_slash(slash_row& row, slash_end how, unix_time at);
  template <class Change>
  event_fate change_slash(const onchain_slash& which, Change change);

  // the token
  void note_holder(const address& holder);

  // markets
  std::optional<market_key> market_of(contract_kind contract, std::int32_t onchain) const;
  event_fate open_market(const std::optional<market_key>& key, market_row row);
  event_fate trade(const std::optional<market_key>& key, const market_trade_told& told);
  event_fate set_prices(const std::optional<market_key>& key, const market_price_told& told);
  template <class Change>
  event_fate change_market(const std::optional<market_key>& key, Change change);
  event_fate set_configs(const market_configs& configs);

  chain_rows& rows_;
  const fold_settings& how_;
  const event_place& where_;
  fold_effects& effects_;
};

} // namespace credence::chain
