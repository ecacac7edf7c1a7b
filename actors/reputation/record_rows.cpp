#include "actors/reputation/record_rows.hpp"

#include "actors/domain/found_in.hpp"
#include "actors/domain/text.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

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

record_rows::record_rows(stored_records stored) : last_(stored.last) {
  for (auto& each : stored.profiles)
    profiles_.emplace(each.id, std::move(each));
  for (auto& each : stored.subjects)
    subjects_.emplace(each.key, std::move(each));
  for (auto& each : stored.addresses)
    addresses_.emplace(each.account, std::move(each));
  for (auto& each : stored.usernames)
    usernames_.emplace(std::move(each.name), each.user);
  for (auto& each : stored.invitations)
    invitations_.emplace(each.id, std::move(each));
  for (auto& each : stored.attestations) {
    if (!each.superseded)
      accounts_.emplace(each.record.name.key, each.record.id);
    attestations_.emplace(each.record.id, std::move(each));
  }
  slashed_accounts_.insert(stored.slashed_accounts.begin(), stored.slashed_accounts.end());
  for (auto& each : stored.verifications)
    verifications_.emplace(each.profile, std::move(each));
  for (auto& each : stored.bonds)
    bonds_.emplace(each.id, std::move(each));
  for (auto& each : stored.reviews)
    reviews_.emplace(each.id, std::move(each));
  for (auto& each : stored.vouches)
    vouches_.emplace(each.id, std::move(each));
  for (const auto& each : stored.active)
    active_.emplace(each.id, each);
  for (const auto& each : stored.vouched)
    vouched_.emplace(each.user, each.active);
  for (const auto& each : stored.made)
    made_.emplace(each.author, each.count);
  judged_.insert(stored.judged.begin(), stored.judged.end());
  for (auto& each : stored.replies)
    replies_.emplace(each.id, std::move(each));
  for (const auto& each : stored.activities)
    activities_.emplace(each.record, each);
  for (const auto& each : stored.votes)
    votes_.emplace(ballot_key{each.on, each.voter}, each);
  for (auto& each : stored.projects)
    projects_.emplace(each.id, std::move(each));
  for (auto& each : stored.listed)
    listed_.emplace(each.user, std::move(each));
  for (auto& each : stored.categories)
    categories_.emplace(each.id, std::move(each));
  for (auto& each : stored.chains)
    chains_.emplace(each.id, std::move(each));
  used_nonces_.insert(stored.used_nonces.begin(), stored.used_nonces.end());
}

// -- looking ---------------------------------------------------------------------------------

const profile_row* record_rows::profile(profile_id which) const { return found_in(profiles_, which); }
const address_row* record_rows::at(const address& which) const { return found_in(addresses_, which); }
const subject_row* record_rows::subject(const subject_key& which) const { return found_in(subjects_, which); }
const review_record* record_rows::review(review_id which) const { return found_in(reviews_, which); }
const vouch_record* record_rows::vouch(vouch_id which) const { return found_in(vouches_, which); }
const reply_record* record_rows::reply(reply_id which) const { return found_in(replies_, which); }
const activity_row* record_rows::find(const activity& which) const { return found_in(activities_, which); }
const activity_vote* record_rows::vote(const ballot_key& which) const { return found_in(votes_, which); }
const invitation_record* record_rows::invitation(invitation_id which) const { return found_in(invitations_, which); }
const attestation_row* record_rows::attestation(attestation_id which) const { return found_in(attestations_, which); }
const verification_row* record_rows::verification(profile_id of) const { return found_in(verifications_, of); }
const bond_record* record_rows::bond(bond_id which) const { return found_in(bonds_, which); }
bool record_rows::slashed(const subject_key& account) const { return slashed_accounts_.contains(account); }

const attestation_row* record_rows::attestation_of(const subject_key& account) const {
  const auto* found = found_in(accounts_, account);
  return found ? attestation(*found) : nullptr;
}

const project_record* record_rows::project(project_id which) const { return found_in(projects_, which); }
const listed_user* record_rows::listed(user_id who) const { return found_in(listed_, who); }
const category_record* record_rows::category(category_id which) const { return found_in(categories_, which); }
const chain_record* record_rows::chain(chain_id which) const { return found_in(chains_, which); }
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

} // namespace credence::reputation
