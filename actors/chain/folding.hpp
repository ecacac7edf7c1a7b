#pragma once

#include "actors/chain/chain_state.hpp"

#include <string_view>
#include <type_traits>

namespace credence::chain {

struct vouch_told;        // vouch_fold.cpp
struct market_trade_told; // market_fold.cpp
struct market_price_told;

/// Thrown by the fold of an event that is not applied.
struct not_applied {
  event_fate fate;
};
[[noreturn]] void fail(event_fate why);

/// One event on its way into the rows. Where it cannot be applied, `on` throws `not_applied`, and `fold` takes back the
/// rows that it changed before.
class folding {
public:
  folding(chain_rows& rows, const fold_settings& how, const event_place& where, fold_effects& effects)
    : rows_(rows), how_(how), where_(where), effects_(effects) {}

  // One of each event; it is defined with the rows that the event makes.
#define CREDENCE_FOLDED(event) void on(const event& entry);
  CREDENCE_EACH_EVENT(CREDENCE_FOLDED)
#undef CREDENCE_FOLDED

  /// Counts the ids that contracts give out; an id that skips others is a gap.
  void note_id(std::string_view of, std::int64_t first, std::int64_t id);

private:
  /// Our id for a contract's. Fails where it is beyond the greatest.
  template <class Tag>
  id<Tag> ours(const onchain_id<Tag>& from) const {
    return {ours_of(from.value)};
  }
  std::int32_t ours_of(std::int32_t onchain) const;

  /// A row that has to be there, of a `kind` as in `failed_missing`.
  template <class Table, class Key>
  static const auto& existing(const Table& table, const Key& key, std::string_view kind) {
    const auto* found = table.find(key);
    if (!found)
      fail(failed_missing(kind));
    return *found;
  }
  /// A row, or what it begins as.
  template <class Key, class Row, class Index>
  static Row row_in(const row_table<Key, Row, Index>& table, const std::type_identity_t<Key>& key) {
    const auto* found = table.find(key);
    return found ? *found : Row{};
  }
  /// Fails where there is such a row.
  template <class Key, class Row, class Index>
  static void expect_none(const row_table<Key, Row, Index>& table, const std::type_identity_t<Key>& key) {
    if (table.find(key))
      fail(failed_duplicate());
  }

  // people
  const profile_row* profile(profile_id of) const; // also an archived one
  const profile_row& existing_profile(profile_id of) const;
  user_id new_user(bool active);
  std::int32_t next_id(const std::string& of);
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
  void set_invites(profile_id of, const uint256& count);
  void archive_profile(const onchain_profile& which, bool archived);
  void let_go(profile_id of, const address& which);
  void archive_attestation(const onchain_attestation& which, bool archived);
  std::vector<invitation_id> invitations_open_to(const address& recipient) const;
  std::optional<invitation_id> open_invitation(profile_id sender, const address& recipient) const;

  // what people write
  subject_place subject_of(const subject_key& key);
  void archive_review(const onchain_review& which, bool archived);
  target_place target_of(const address& contract, const onchain_target& which) const;
  contract_kind kind_of(const address& contract) const;
  void set_parameter(const std::string& name, const std::string& value);

  // vouches
  void make_vouch(const vouch_told& told);
  void increase_vouch(const vouch_told& told);
  void mark_unhealthy(contract_kind contract, const onchain_vouch& which);
  void set_fee(const std::string& name, const uint256& basis_points);
  subject_place subject_of_profile(profile_id whom);
  void bind_placeholder(profile_id reserved, const subject_place& subject);
  void share_fees(profile_id pool, profile_id author, const wei& fees);
  std::uint32_t fee(const std::string& name, std::uint32_t at_first) const;
  /// Whether the contract lets the author vouch in ether once more, for that profile.
  bool may_vouch(profile_id author, profile_id pool) const;
  std::vector<vouch_key> active_vouches(contract_kind contract, const vouch_index& of) const;
  const vouch_row& active_vouch(const vouch_key& key) const;
  /// An active vouch in WHUF comes to another balance; `change` does what else its event says, before that.
  template <class Change>
  void move_balance(const onchain_vouch& which, const wei& new_balance, Change change);
  void end_vouch(const vouch_key& key, vouch_row row, const wei& paid_out);
  void freeze_vouches(contract_kind contract, const vouch_index& of, bool frozen);
  void count_mismatch(); // what an event says differs from what earlier ones come to

  // the broker
  void set_credit(const onchain_profile& of, const address& token, const uint256& balance);

  // projects
  /// Whom a project of that account is of; made where nobody has named the account.
  user_id user_of_account(const account_details& account);
  std::vector<profile_id> managers_of(const std::vector<onchain_profile>& told) const;
  /// Whoever takes an account takes its project, unless they have one.
  void take_project(const subject_row& subject, user_id to);
  template <class Change>
  void change_project(const onchain_project& which, Change change);
  bool has_project(user_id who) const { return !rows_.projects.with(who).empty(); }

  // slashes
  user_id user_named(const subject_key& key) const;
  static void end_slash(slash_row& row, slash_end how, unix_time at);
  template <class Change>
  void change_slash(const onchain_slash& which, Change change);

  // the token
  void note_holder(const address& holder);

  // markets
  /// The market that an event of either contract is about.
  template <class E>
  market_key market_of(const E& entry) const {
    if constexpr (requires { entry.market; })
      return {contract_kind::market, {ours_of(entry.market.value)}};
    else
      return {contract_kind::reputation_market, {ours_of(entry.profile.value)}};
  }
  void open_market(const market_key& key, market_row row);
  void trade(const market_key& key, const market_trade_told& told);
  void set_prices(const market_key& key, const market_price_told& told);
  template <class Change>
  void change_market(const market_key& key, Change change);
  void set_configs(const market_configs& configs);

  chain_rows& rows_;
  const fold_settings& how_;
  const event_place& where_;
  fold_effects& effects_;
};

} // namespace credence::chain
