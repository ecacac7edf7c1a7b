#include "actors/reputation/record_rows.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

/// Rows by a key that is in each.
template <class Row, class Key>
std::map<Key, Row> keyed_by(Key Row::*key, std::vector<Row>& rows) {
  std::map<Key, Row> out;
  for (auto& each : rows)
    out.try_emplace(each.*key, std::move(each));
  return out;
}

/// The first that fits, or null.
template <class Map, class Fits>
const typename Map::mapped_type* first_of(const Map& in, Fits fits) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const auto& each) { return fits(each.second); });
  return found == in.end() ? nullptr : &found->second;
}

/// `0x1234…abcd`, or `service/account`.
std::string display_name_of(const named_subject& who) {
  if (who.account)
    return std::string{people::name_of(who.account->service)} + "/" + who.account->id;
  if (const auto wallet = who.key.wallet()) {
    const auto text = lower_text(*wallet);
    return text.substr(0, 6) + "…" + text.substr(text.size() - 4);
  }
  return "unknown";
}

} // namespace

record_rows::record_rows(stored_records stored)
  : last_(stored.last), profiles_(keyed_by(&profile_row::id, stored.profiles)),
    subjects_(keyed_by(&subject_row::key, stored.subjects)),
    addresses_(keyed_by(&address_row::account, stored.addresses)),
    invitations_(keyed_by(&invitation_record::id, stored.invitations)),
    slashed_accounts_(stored.slashed_accounts.begin(), stored.slashed_accounts.end()),
    verifications_(keyed_by(&verification_row::profile, stored.verifications)),
    bonds_(keyed_by(&bond_record::id, stored.bonds)), reviews_(keyed_by(&review_record::id, stored.reviews)),
    vouches_(keyed_by(&vouch_record::id, stored.vouches)), active_(keyed_by(&active_vouch::id, stored.active)),
    judged_(stored.judged.begin(), stored.judged.end()), replies_(keyed_by(&reply_record::id, stored.replies)),
    activities_(keyed_by(&activity_row::record, stored.activities)),
    used_nonces_(stored.used_nonces.begin(), stored.used_nonces.end()),
    projects_(keyed_by(&project_record::id, stored.projects)), listed_(keyed_by(&listed_user::user, stored.listed)),
    categories_(keyed_by(&category_record::id, stored.categories)),
    chains_(keyed_by(&chain_record::id, stored.chains)) {
  for (auto& each : stored.usernames)
    usernames_.emplace(std::move(each.name), each.user);
  for (auto& each : stored.attestations) {
    if (!each.superseded)
      accounts_.emplace(each.record.name.key, each.record.id);
    attestations_.emplace(each.record.id, std::move(each));
  }
  for (const auto& each : stored.vouched)
    vouched_.emplace(each.user, each.active);
  for (const auto& each : stored.made)
    made_.emplace(each.author, each.count);
  for (const auto& each : stored.votes)
    votes_.emplace(ballot_key{each.on, each.voter}, each);
}

// -- looking ---------------------------------------------------------------------------------

bool record_rows::slashed(const subject_key& account) const { return slashed_accounts_.contains(account); }

const attestation_row* record_rows::attestation_of(const subject_key& account) const {
  const auto* found = found_in(accounts_, account);
  return found ? attestation(*found) : nullptr;
}

const project_record* record_rows::project_of(user_id who, const std::string& userkey) const {
  return first_of(projects_, [&](const project_record& each) { return each.user == who || each.userkey == userkey; });
}
const category_record* record_rows::category_by(const std::string& slug) const {
  return first_of(categories_, [&](const category_record& each) { return each.slug == slug; });
}
const chain_record* record_rows::chain_by(const std::string& name) const {
  return first_of(chains_, [&](const chain_record& each) { return each.name == name; });
}

std::vector<invitation_record> record_rows::open_invitations(const address& to) const {
  std::vector<invitation_record> out;
  for (const auto& [id, each] : invitations_)
    if (each.recipient == to && each.status == invitation_status::invited)
      out.push_back(each);
  return out;
}

user_id record_rows::user_named(const std::string& name) const {
  const auto* found = found_in(usernames_, name);
  return found ? *found : user_id{};
}

std::vector<active_vouch> record_rows::active_vouches_of(profile_id author) const {
  std::vector<active_vouch> out;
  for (const auto& [id, each] : active_)
    if (each.author == author)
      out.push_back(each);
  return out;
}

bool record_rows::made_enough(profile_id author) const {
  const auto* found = found_in(made_, author);
  return found && *found >= limits::records_a_day_max;
}

bool record_rows::judged(const subject_key& which, profile_id by) const { return judged_.contains({which, by}); }

std::int32_t record_rows::active_vouches_for(user_id who) const {
  const auto* found = found_in(vouched_, who);
  return found ? *found : 0;
}

bool record_rows::used(const profile::signed_nonce& which) const {
  return used_nonces_.contains({which.signer, which.nonce});
}

fresh_user record_rows::user_for(const address& wallet, const std::string& avatar) const {
  return {display_name_of({subject_key{wallet}, std::nullopt}), avatar, 0};
}

chosen_subject record_rows::subject_for(const named_subject& name, const std::string& avatar) const {
  const auto* row = found_in(subjects_, name.key);
  const auto known = row ? *row : subject_row{name.key};
  // The newest generation stands while nobody else has its key by now.
  if (known.generation >= 0 && (!known.owner || known.owner == known.user))
    return {{name, known.generation}, known.user, std::nullopt};
  fresh_subject fresh{name, known.generation + 1, known.owner};
  if (!fresh.user) {
    fresh.user = user_id{last_.user.value + 1};
    fresh.new_user = fresh_user{display_name_of(name), avatar, name.account ? last_.attestation + 1 : 0};
  }
  return {{name, fresh.generation}, fresh.user, fresh};
}

// -- changes -----------------------------------------------------------------------------------

void record_rows::count_fresh(const std::optional<fresh_user>& fresh, user_id who) {
  if (!fresh)
    return;
  last_.user = who;
  last_.attestation += fresh->attestation ? 1 : 0;
}

void record_rows::take(const std::optional<fresh_subject>& fresh) {
  if (!fresh)
    return;
  const auto& key = fresh->name.key;
  subjects_[key] = {key, fresh->user, fresh->generation, fresh->user};
  count_fresh(fresh->new_user, fresh->user);
  if (!fresh->new_user)
    return;
  if (const auto wallet = key.wallet())
    addresses_[*wallet] = {*wallet, fresh->user};
  if (const attestation_id known{fresh->new_user->attestation}; known) {
    attestation_row row{{known, {}, fresh->name}, fresh->user};
    attestations_.insert_or_assign(known, std::move(row));
    accounts_[key] = known;
  }
}

void record_rows::count_made(profile_id author, const named_subject& about) {
  ++made_[author];
  judged_.emplace(about.key, author);
}

void record_rows::show(const activity& which, bool archived) {
  if (auto* shown = found_in(activities_, which))
    shown->archived = archived;
}

void record_rows::apply(const review_created& change) {
  take(change.subject);
  count_made(change.record.author, change.record.subject.name);
  last_.review = change.record.id;
  reviews_[last_.review] = change.record;
}

void record_rows::apply(const review_edited& change) {
  auto& review = reviews_.at(change.id);
  review.comment = change.comment;
  review.metadata = change.metadata;
  review.edits = change.edits;
  review.updated_at = change.at;
}

void record_rows::apply(const review_archived& change) {
  auto& review = reviews_.at(change.id);
  review.archived = change.archived;
  review.taken_down = change.taken_down;
  review.updated_at = change.at;
  show({activity_kind::review, change.id.value}, change.archived);
}

void record_rows::give(const address& which, user_id to, profile_id with_profile) {
  auto& row = addresses_[which];
  const auto before = row.owner;
  row = {which, to, with_profile};
  leave(before);
  if (auto* subject = found_in(subjects_, subject_key{which}))
    subject->owner = to;
}

void record_rows::leave(user_id who) {
  for (auto& [which, each] : addresses_)
    if (each.owner == who)
      --each.others;
  for (auto& [which, each] : attestations_)
    if (each.owner == who)
      --each.others;
}

void record_rows::move_subject(const subject_key& which, user_id to, std::optional<user_id> merged) {
  if (auto* subject = found_in(subjects_, which); subject && subject->generation >= 0)
    subject->user = to;
  if (merged)
    for (auto& [key, each] : subjects_)
      if (each.user == *merged)
        each.user = to;
}

void record_rows::apply(const profile_created& change) {
  count_fresh(change.fresh, change.user);
  last_.profile = change.id;
  if (change.by)
    used_nonces_.emplace(change.by->signer, change.by->nonce);
  auto& row = profiles_[change.id];
  row = {change.id, change.user, false, {change.account}, true, change.invites, {}};
  addresses_[change.account] = {change.account, change.user, change.id};
  for (auto& [which, each] : attestations_)
    if (each.owner == change.user)
      each.profile = change.id;
  if (auto* named = found_in(listed_, change.user))
    named->profile = change.id;
  if (auto* subject = found_in(subjects_, subject_key{change.account}))
    subject->owner = change.user;
  for (auto& [id, each] : invitations_)
    if (each.recipient == change.account && each.status == invitation_status::invited) {
      each.status = change.accepted == id ? invitation_status::accepted : invitation_status::accepted_other;
      each.accepted_at = change.at;
      each.profile = change.id;
    }
}

void record_rows::apply(const profile_archived& change) { profiles_.at(change.id).archived = change.archived; }

void record_rows::apply(const profile_edited& change) {
  auto& row = profiles_.at(change.id);
  if (row.texts.username)
    usernames_.erase(lower_case(*row.texts.username));
  row.texts = change.texts;
  if (row.texts.username)
    usernames_[lower_case(*row.texts.username)] = row.user;
}

void record_rows::apply(const address_linked& change) {
  if (change.by)
    used_nonces_.emplace(change.by->signer, change.by->nonce);
  give(change.account, change.user, change.profile);
  auto& row = profiles_.at(change.profile);
  row.addresses.insert(change.primary ? row.addresses.begin() : row.addresses.end(), change.account);
  row.has_primary = row.has_primary || change.primary;
  move_subject(subject_key{change.account}, change.user, change.merges ? change.before : std::nullopt);
}

void record_rows::apply(const address_unlinked& change) {
  count_fresh(change.fresh, change.to);
  give(change.account, change.to, {});
  auto& row = profiles_.at(change.profile);
  std::erase(row.addresses, change.account);
  if (change.primary) {
    std::erase(row.addresses, *change.primary);
    row.addresses.insert(row.addresses.begin(), *change.primary);
  }
  if (change.generation) {
    auto& subject = subjects_.at(subject_key{change.account});
    subject.generation = *change.generation;
    subject.user = change.to;
  }
}

void record_rows::apply(const account_attested& change) {
  const auto& key = change.record.name.key;
  last_.attestation = std::max(last_.attestation, change.record.id.value);
  auto& row = attestations_[change.record.id];
  row.record = change.record;
  row.owner = change.user;
  row.profile = change.record.profile;
  accounts_[key] = change.record.id;
  if (change.before)
    leave(*change.before);
  if (auto* subject = found_in(subjects_, key))
    subject->owner = change.user;
  show({activity_kind::attestation, change.record.id.value}, false);
  move_subject(key, change.user, change.merges ? change.before : std::nullopt);
}

void record_rows::apply(const attestation_archived& change) {
  auto& record = attestations_.at(change.id).record;
  record.archived = change.archived;
  record.updated_at = change.at;
  show({activity_kind::attestation, change.id.value}, change.archived);
}

void record_rows::apply(const verification_decided& change) {
  using people::human_verification;
  auto& row = verifications_[change.record.profile];
  row.profile = change.record.profile;
  row.status = change.record.verified ? human_verification::verified : human_verification::revoked;
  row.record = change.record;
  row.verifier = row.verifier && change.record.verified;
}

void record_rows::apply(const invitation_sent& change) {
  last_.invitation = change.id;
  invitations_[change.id] = {change.id, change.sender, change.recipient, invitation_status::invited, change.at};
  --profiles_.at(change.sender).invites;
}

void record_rows::apply(const invitation_withdrawn& change) {
  invitations_.at(change.id).status = invitation_status::withdrawn;
  ++profiles_.at(change.sender).invites;
}

void record_rows::apply(const vouch_created& change) {
  take(change.subject);
  last_.vouch = change.record.id;
  vouches_[last_.vouch] = change.record;
  const auto& record = change.record;
  active_[last_.vouch] = {record.id, record.author, record.subject.name.key, record.subject_user, record.token};
  ++vouched_[record.subject_user];
  count_made(record.author, record.subject.name);
}

void record_rows::apply(const vouch_moved& change) {
  auto& vouch = vouches_.at(change.id);
  vouch.staked = change.staked;
  vouch.deposited = change.deposited;
  vouch.balance = change.balance;
  vouch.withdrawn = change.withdrawn;
  vouch.parts = change.parts;
  if (change.archived) {
    vouch.archived = true;
    vouch.unvouched_at = change.at;
    --vouched_[vouch.subject_user];
    active_.erase(change.id);
  }
}

void record_rows::apply(const vouch_marked_unhealthy& change) {
  auto& vouch = vouches_.at(change.id);
  vouch.unhealthy = true;
  vouch.unhealthy_at = change.at;
}

void record_rows::apply(const reply_created& change) {
  last_.reply = change.record.id;
  replies_[last_.reply] = change.record;
}

void record_rows::apply(const reply_edited& change) {
  auto& reply = replies_.at(change.id);
  reply.content = change.content;
  reply.metadata = change.metadata;
  reply.edits = change.edits;
  reply.updated_at = change.at;
}

void record_rows::apply(const activity_voted& change) {
  last_.vote = std::max(last_.vote, change.vote.number);
  votes_[{change.vote.on, change.vote.voter}] = change.vote;
}

void record_rows::name(user_id who, const std::optional<profile_texts>& shown) {
  if (!shown)
    return;
  auto& row = listed_[who];
  row.user = who;
  if (row.texts.username)
    usernames_.erase(lower_case(*row.texts.username));
  row.texts = *shown;
  if (row.texts.username)
    usernames_[lower_case(*row.texts.username)] = who;
}

void record_rows::apply(const project_created& change) {
  take(change.subject);
  last_.project = change.record.id;
  projects_[last_.project] = change.record;
  if (change.subject && change.subject->new_user)
    listed_[change.record.user] = {
      change.record.user,
      {},
      {change.subject->new_user->display_name, std::nullopt, change.subject->new_user->avatar_url, {}}};
  name(change.record.user, change.shown);
  for (auto& [account, each] : addresses_)
    each.listed = each.listed || each.owner == change.record.user;
}

void record_rows::apply(const project_edited& change) {
  projects_.at(change.record.id) = change.record;
  name(change.record.user, change.shown);
}

void record_rows::apply(const project_archived& change) {
  auto& project = projects_.at(change.id);
  project.archived = change.archived;
  project.updated_at = change.at;
  show({activity_kind::project, change.id.value}, change.archived);
}

void record_rows::apply(const category_saved& change) {
  last_.category = std::max(last_.category, change.record.id);
  categories_[change.record.id] = change.record;
}

void record_rows::apply(const chain_saved& change) {
  last_.chain = std::max(last_.chain, change.record.id);
  chains_[change.record.id] = change.record;
}

void record_rows::apply(const bond_created& change) {
  take(change.subject);
  last_.bond = change.record.id.value;
  bonds_[change.record.id] = change.record;
}

void record_rows::apply(const bond_archived& change) {
  auto& bond = bonds_.at(change.id);
  bond.ended = change.end;
  bond.updated_at = change.end.at;
  show({activity_kind::bond, change.id.value}, true);
}

void record_rows::apply(const bond_expiration_set& change) {
  auto& bond = bonds_.at(change.id);
  bond.expires_at = change.expires_at;
  bond.updated_at = change.at;
}

} // namespace credence::reputation
