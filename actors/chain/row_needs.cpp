#include "actors/chain/row_needs.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <iterator>

namespace credence::chain {

namespace {

/// Calls `visit` with each set of keys, of all that are given at once.
template <class Visit, class... Keys>
void for_each_set(Visit visit, Keys&... of) {
  visit(of.users...);
  visit(of.holders...);
  visit(of.profiles...);
  visit(of.placeholders...);
  visit(of.addresses...);
  visit(of.recipients...);
  visit(of.attestations...);
  visit(of.subjects...);
  visit(of.places...);
  visit(of.reviews...);
  visit(of.votes...);
  visit(of.replies...);
  visit(of.vouches...);
  visit(of.vouchers...);
  visit(of.wallets...);
  visit(of.pools...);
  visit(of.vouched...);
  visit(of.rewarded...);
  visit(of.bonds...);
  visit(of.posts...);
  visit(of.credits...);
  visit(of.projects...);
  visit(of.owners...);
  visit(of.balances...);
  visit(of.rewards...);
  visit(of.slashes...);
  visit(of.markets...);
  visit(of.market_trades...);
  visit(of.market_prices...);
  visit(of.market_positions...);
  visit(of.market_accounts...);
}

template <class Set>
Set without(const Set& all, const Set& those) {
  Set out;
  std::set_difference(all.begin(), all.end(), those.begin(), those.end(), std::inserter(out, out.end()));
  return out;
}

/// What an event names by itself.
class naming {
public:
  naming(const fold_settings& how, row_keys& to, std::set<address>& moving, std::set<profile_id>& choosing)
    : how_(how), to_(to), moving_(moving), choosing_(choosing) {}

  void operator()(const attestation_events::attestation_created& entry) {
    attest(entry.attestation, entry.profile, entry.service, entry.account);
  }
  void operator()(const attestation_events::attestation_claimed& entry) {
    attest(entry.attestation, entry.profile, entry.service, entry.account);
  }
  void operator()(const attestation_events::attestation_archived& entry) { add(to_.attestations, entry.attestation); }
  void operator()(const attestation_events::attestation_restored& entry) { add(to_.attestations, entry.attestation); }

  void operator()(const profile_events::profile_created& entry) {
    add(to_.placeholders, entry.profile);
    move(entry.profile, entry.addr);
    to_.recipients.insert(entry.addr);
  }
  void operator()(const profile_events::mock_profile_created& entry) {
    add(to_.profiles, entry.mock);
    add(to_.placeholders, entry.mock);
  }
  void operator()(const profile_events::profile_archived& entry) { add(to_.profiles, entry.profile); }
  void operator()(const profile_events::profile_restored& entry) { add(to_.profiles, entry.profile); }
  void operator()(const profile_events::address_claim& entry) { move(entry.profile, entry.addr); }
  void operator()(const profile_events::user_invited& entry) { invite(entry.inviter, entry.invitee_address); }
  void operator()(const profile_events::uninvited& entry) { invite(entry.inviter, entry.uninvited_user); }
  void operator()(const profile_events::invites_added& entry) { add(to_.profiles, entry.profile); }

  void operator()(const review_events::review_created& entry) {
    add(to_.reviews, entry.review);
    add(to_.placeholders, entry.profile);
    to_.addresses.insert(entry.author);
    if (entry.attestation_hash != digest32{})
      to_.subjects.insert(entry.attestation_hash);
    if (entry.subject != address{}) {
      to_.subjects.insert(entry.subject);
      to_.addresses.insert(entry.subject);
    }
  }
  void operator()(const review_events::review_edited& entry) { add(to_.reviews, entry.review); }
  void operator()(const review_events::review_archived& entry) { add(to_.reviews, entry.review); }
  void operator()(const review_events::review_restored& entry) { add(to_.reviews, entry.review); }

  void operator()(const vote_events::voted& entry) { vote(entry.voter, entry.target_contract, entry.target); }
  void operator()(const vote_events::vote_changed& entry) { vote(entry.voter, entry.target_contract, entry.target); }

  void operator()(const discussion_events::reply_added& entry) {
    add(to_.profiles, entry.author);
    add(to_.replies, entry.reply);
  }
  void operator()(const discussion_events::reply_edited& entry) { add(to_.replies, entry.reply); }

  void operator()(const vouch_events::vouched& made) {
    vouch(made.vouch, made.author_profile, made.subject_profile);
    if (made.attestation_hash != digest32{})
      to_.subjects.insert(made.attestation_hash);
    else if (made.subject_address != address{})
      of_wallet(made.subject_address);
    else
      of_profile(made.subject_profile);
  }
  void operator()(const vouch_events::early_vouched& made) {
    vouch(made.vouch, made.author_profile, made.subject_profile);
    of_profile(made.subject_profile);
  }
  void operator()(const vouch_events::vouch_increased& more) { increase(more.vouch, more.subject_profile); }
  void operator()(const vouch_events::early_vouch_increased& more) { increase(more.vouch, more.subject_profile); }
  void operator()(const vouch_events::unvouched& ended) { one_of(contract_kind::vouch, ended.vouch); }
  void operator()(const vouch_events::marked_unhealthy& marked) { one_of(contract_kind::vouch, marked.vouch); }
  void operator()(const vouch_events::slashed& cut) { add(to_.vouchers, cut.author_profile); }
  void operator()(const vouch_events::frozen& change) { add(to_.vouchers, change.author_profile); }
  void operator()(const vouch_events::attestation_vouch_mapping_updated& moved) {
    to_.subjects.insert(moved.attestation_hash);
    to_.vouched.insert(moved.attestation_hash);
    add(to_.profiles, moved.new_profile);
    add(to_.placeholders, moved.new_profile);
    add(to_.pools, moved.new_profile);
  }
  void operator()(const vouch_events::deposited_to_rewards& paid) { add(to_.rewarded, paid.recipient_profile); }
  void operator()(const vouch_events::withdrawn_from_rewards& taken) { add(to_.rewarded, taken.account_profile); }

  void operator()(const vouch_v2_events::vouched& made) {
    one_of(contract_kind::vouch_v2, made.vouch);
    to_.addresses.insert(made.author);
    to_.wallets.insert(made.author);
    const auto target = vouch_target_of(made.target, made.target_hash, how_.id_offset);
    if (const auto* whom = std::get_if<profile_id>(&target.key))
      of_profile(*whom);
    else if (const auto* which = std::get_if<address>(&target.key))
      of_wallet(*which);
    else
      to_.subjects.insert(target.key);
  }
  void operator()(const vouch_v2_events::vouch_increased& more) { one_of(contract_kind::vouch_v2, more.vouch); }
  void operator()(const vouch_v2_events::vouch_decreased& less) { one_of(contract_kind::vouch_v2, less.vouch); }
  void operator()(const vouch_v2_events::unvouched& ended) { one_of(contract_kind::vouch_v2, ended.vouch); }
  void operator()(const vouch_v2_events::marked_unhealthy& marked) { one_of(contract_kind::vouch_v2, marked.vouch); }
  void operator()(const vouch_v2_events::vouch_slashed& cut) { one_of(contract_kind::vouch_v2, cut.vouch); }
  void operator()(const vouch_v2_events::vouch_metadata_updated& told) { one_of(contract_kind::vouch_v2, told.vouch); }
  void operator()(const vouch_v2_events::frozen& change) { to_.wallets.insert(change.account); }

  void operator()(const bond_events::bond_created& made) {
    add(to_.bonds, made.bond);
    add(to_.profiles, made.author_profile);
  }
  void operator()(const bond_events::bond_archived& ended) { add(to_.bonds, ended.bond); }
  void operator()(const bond_events::bond_expiration_updated& change) { add(to_.bonds, change.bond); }

  void operator()(const broker_events::post_created& post) {
    add(to_.posts, post.id);
    add(to_.profiles, post.author_profile);
  }
  void operator()(const broker_events::post_updated& post) { add(to_.posts, post.id); }
  void operator()(const broker_events::premium_post_fee_paid& paid) { add(to_.posts, paid.post); }
  void operator()(const broker_events::credit_balance_updated& credit) { hold(credit.profile, credit.token); }
  void operator()(const broker_events::credit_used& credit) { hold(credit.profile, credit.token); }

  void operator()(const project_events::project_created& made) {
    add(to_.projects, made.id);
    to_.subjects.insert(attestation_hash(made.attestation_details.service, made.attestation_details.account));
  }
  void operator()(const project_events::project_archived& change) { add(to_.projects, change.id); }
  void operator()(const project_events::project_details_updated& details) {
    add(to_.projects, details.id);
    to_.subjects.insert(attestation_hash(details.attestation_details.service, details.attestation_details.account));
  }
  void operator()(const project_events::project_manager_profile_ids_updated& team) { add(to_.projects, team.id); }

  void operator()(const whuffie_events::transfer& moved) {
    for (const auto& each : {moved.from, moved.to})
      if (each != address{}) {
        to_.balances.insert({each, token_of(how_)});
        to_.addresses.insert(each);
      }
  }
  void operator()(const rewards_events::credited& reward) {
    to_.rewards.insert({reward.user, reward.accruing_contract});
  }
  void operator()(const rewards_events::debited& reward) {
    to_.rewards.insert({reward.user, reward.accruing_contract});
  }

  void operator()(const slash_events::slash_created& made) {
    add(to_.slashes, made.id);
    add(to_.profiles, made.author_profile);
    if (made.attestation_hash != digest32{})
      to_.subjects.insert(made.attestation_hash);
    if (made.subject != address{})
      of_wallet(made.subject);
  }
  void operator()(const slash_events::slash_edited& edited) { add(to_.slashes, edited.id); }
  void operator()(const slash_events::slash_extended& longer) { add(to_.slashes, longer.id); }
  void operator()(const slash_events::slash_cancelled& ended) { add(to_.slashes, ended.id); }
  void operator()(const slash_events::slash_resolved& resolved) { add(to_.slashes, resolved.id); }
  void operator()(const slash_events::financial_slash_created& told) { add(to_.slashes, told.id); }
  void operator()(const slash_events::resolution_executed& done) { add(to_.slashes, done.id); }

  void operator()(const reputation_market_events::market_created& made) { in_ether(made.profile); }
  void operator()(const reputation_market_events::votes_bought& trade) { trade_in_ether(trade.profile, trade.buyer); }
  void operator()(const reputation_market_events::votes_sold& trade) { trade_in_ether(trade.profile, trade.seller); }
  void operator()(const reputation_market_events::market_updated& told) { in_ether(told.profile); }
  void operator()(const reputation_market_events::donation_withdrawn& paid) {
    to_.market_accounts.insert({contract_kind::reputation_market, paid.recipient});
  }
  void operator()(const reputation_market_events::donation_recipient_updated& change) { in_ether(change.profile); }
  void operator()(const reputation_market_events::market_graduated& ended) { in_ether(ended.profile); }
  void operator()(const reputation_market_events::market_funds_withdrawn& taken) { in_ether(taken.profile); }
  void operator()(const market_events::market_created& made) { market(contract_kind::market, made.market.value); }
  void operator()(const market_events::position_opened& trade) {
    trade_on(contract_kind::market, trade.market.value, trade.buyer);
  }
  void operator()(const market_events::position_closed& trade) {
    trade_on(contract_kind::market, trade.market.value, trade.seller);
  }
  void operator()(const market_events::market_updated& told) { market(contract_kind::market, told.market.value); }
  void operator()(const market_events::market_pause_state_updated& change) {
    market(contract_kind::market, change.market.value);
  }

  void operator()(const auto&) {} // parameters, or nothing

private:
  /// Our id for a contract's; nothing where the event will fail by it.
  std::optional<std::int32_t> ours(std::int32_t onchain) const {
    const auto number = std::int64_t{onchain} + how_.id_offset;
    return number <= limits::id_max ? std::optional{static_cast<std::int32_t>(number)} : std::nullopt;
  }
  template <class Id, class Tag>
  void add(std::set<Id>& to, const onchain_id<Tag>& of) {
    if (const auto number = ours(of.value))
      to.insert(Id{*number});
  }
  void attest(const onchain_attestation& which, const onchain_profile& profile, people::account_service service,
              const std::string& account) {
    add(to_.attestations, which);
    add(to_.profiles, profile);
    to_.subjects.insert(attestation_hash(people::name_of(service), account));
  }
  void move(const onchain_profile& profile, const address& which) {
    add(to_.profiles, profile);
    add(choosing_, profile);
    to_.addresses.insert(which);
    to_.subjects.insert(which);
    moving_.insert(which);
  }
  void invite(const onchain_profile& sender, const address& recipient) {
    add(to_.profiles, sender);
    to_.recipients.insert(recipient);
  }
  void one_of(contract_kind contract, const onchain_vouch& which) {
    if (const auto number = ours(which.value))
      to_.vouches.insert({contract, {*number}});
  }
  void vouch(const onchain_vouch& which, const onchain_profile& author, const onchain_profile& whom) {
    increase(which, whom);
    add(to_.profiles, author);
    add(to_.vouchers, author);
    add(to_.placeholders, whom);
  }
  void increase(const onchain_vouch& which, const onchain_profile& whom) {
    one_of(contract_kind::vouch, which);
    add(to_.pools, whom);
  }
  void of_wallet(const address& which) {
    to_.subjects.insert(which);
    to_.addresses.insert(which);
  }
  void of_profile(profile_id whom) {
    to_.profiles.insert(whom);
    to_.placeholders.insert(whom);
    to_.subjects.insert(whom);
  }
  void of_profile(const onchain_profile& whom) {
    if (const auto number = ours(whom.value))
      of_profile(profile_id{*number});
  }
  void hold(const onchain_profile& holder, const address& token) {
    add(to_.profiles, holder);
    if (const auto number = ours(holder.value))
      to_.credits.insert({{*number}, token});
  }
  void market(contract_kind contract, std::int32_t onchain) {
    if (const auto number = ours(onchain))
      to_.markets.insert({contract, {*number}});
  }
  void trade_on(contract_kind contract, std::int32_t onchain, const address& who) {
    market(contract, onchain);
    to_.market_accounts.insert({contract, who});
    if (const auto number = ours(onchain))
      to_.market_positions.insert({{contract, {*number}}, who});
  }
  void in_ether(const onchain_profile& whose) { market(contract_kind::reputation_market, whose.value); }
  void trade_in_ether(const onchain_profile& whose, const address& who) {
    trade_on(contract_kind::reputation_market, whose.value, who);
  }
  void vote(const onchain_profile& voter, const address& contract, const onchain_target& target) {
    add(to_.profiles, voter);
    const auto kind = how_.contracts.find(contract);
    const auto by = ours(voter.value), on = ours(target.value);
    if (kind == how_.contracts.end() || !by || !on)
      return;
    to_.votes.insert({{kind->second, *on}, {*by}});
    if (kind->second == contract_kind::review)
      to_.reviews.insert({*on});
  }

  const fold_settings& how_;
  row_keys& to_;
  std::set<address>& moving_;
  std::set<profile_id>& choosing_;
};

} // namespace

bool row_keys::empty() const {
  bool out = true;
  for_each_set([&](const auto& each) { out = out && each.empty(); }, *this);
  return out;
}

row_needs::row_needs(const fold_settings& how)
  : how_(how), has_projects_(std::any_of(how.contracts.begin(), how.contracts.end(), [](const auto& contract) {
      return contract.second == contract_kind::project;
    })) {}

void row_needs::add(const event& entry) {
  visit([&](const auto& each) { naming{how_, wanted_, moving_, choosing_}(each); }, entry);
}

/// Adds what the rows that are there lead to.
void row_needs::follow(const chain_rows& rows) {
  auto& to = wanted_;
  for (const auto each : told_.attestations)
    if (const auto* row = rows.attestations.find(each))
      to.profiles.insert(row->profile);
  for (const auto each : told_.placeholders)
    if (const auto* row = rows.placeholders.find(each); row && row->names)
      to.places.insert(*row->names);
  for (const auto each : told_.reviews)
    if (const auto* row = rows.reviews.find(each)) {
      to.places.insert(row->subject);
      if (row->author_profile)
        to.profiles.insert(*row->author_profile);
    }
  for (const auto& [key, row] : rows.vouches.all()) {
    to.places.insert(row.subject);
    to.profiles.insert(row.author);
  }
  for (const auto& each : told_.subjects)
    if (const auto place = rows.newest(each))
      to.users.insert(rows.subjects.find(*place)->user);
  for (const auto& each : told_.places)
    if (const auto* row = rows.subjects.find(each))
      to.users.insert(row->user);
  for (const auto& each : told_.addresses)
    if (const auto* row = rows.addresses.find(each)) {
      to.users.insert(row->user);
      if (moving_.contains(each))
        to.holders.insert(row->user);
    }
  for (const auto each : told_.profiles)
    if (const auto* row = rows.profiles.find(each)) {
      to.users.insert(row->user);
      if (choosing_.contains(each))
        to.holders.insert(row->user);
    }
  for (const auto each : told_.users)
    if (const auto* row = rows.users.find(each); row && row->profile)
      to.profiles.insert(*row->profile);
  if (has_projects_)
    to.owners.insert(to.users.begin(), to.users.end());
}

row_keys row_needs::next(const chain_rows& rows) {
  follow(rows);
  row_keys fresh;
  for_each_set([](auto& to, const auto& all, const auto& told) { to = without(all, told); }, fresh, wanted_, told_);
  told_ = wanted_;
  return fresh;
}

} // namespace credence::chain
