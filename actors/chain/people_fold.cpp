#include "actors/chain/folding.hpp"

#include "actors/domain/hash.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::chain {

// -- users ---------------------------------------------------------------------------------------

std::int32_t folding::next_id(const std::string& of) {
  const auto* last = rows_.last_ids.find(of);
  const auto next = (last ? *last : 0) + 1;
  rows_.last_ids.put(of, next);
  return static_cast<std::int32_t>(next);
}

user_id folding::new_user(bool active) {
  const user_id out{next_id("user")};
  rows_.made(out);
  rows_.users.put(out, {std::nullopt, active, std::nullopt});
  return out;
}

const profile_row* folding::profile(profile_id of) const {
  const auto* found = rows_.profiles.find(of);
  return found && !found->orphaned ? found : nullptr;
}

const profile_row& folding::existing_profile(profile_id of) const {
  const auto* found = profile(of);
  if (!found)
    fail(failed_missing("profile"));
  return *found;
}

std::optional<profile_id> folding::owner_of(const address& which) const {
  const auto* row = rows_.addresses.find(which);
  const auto* owner = row ? rows_.users.find(row->user) : nullptr;
  return owner && owner->profile && profile(*owner->profile) ? owner->profile : std::nullopt;
}

void folding::take_over(user_id from, user_id to) {
  if (from == to)
    return;
  const auto* old = rows_.users.find(from);
  if (old && !old->profile && !old->merged_into && !has_project(from))
    rows_.users.put(from, {std::nullopt, false, to});
}

void folding::move_subject(const subject_key& key, user_id to) {
  const auto place = rows_.newest(key);
  if (!place)
    return;
  auto row = *rows_.subjects.find(*place);
  if (row.user == to)
    return;
  take_project(row, to);
  take_over(row.user, to);
  row.user = to;
  rows_.subjects.put(*place, std::move(row));
}

void folding::take_address(const address& which, user_id to) {
  const auto* old = rows_.addresses.find(which);
  const auto before = old ? std::optional{old->user} : std::nullopt;
  rows_.addresses.put(which, {to, false, old ? old->first_seen_at : where_.at, std::nullopt});
  if (before && *before != to) {
    take_over(*before, to);
    if (const auto* loser = rows_.users.find(*before); loser && loser->profile)
      choose_primary(*loser->profile);
  }
  move_subject(which, to);
}

void folding::choose_primary(profile_id of) {
  const auto* found = profile(of);
  if (!found)
    return;
  const auto left = rows_.addresses.with(found->user);
  if (found->primary && std::find(left.begin(), left.end(), *found->primary) != left.end())
    return;
  const auto age = [&](const address& each) { return rows_.addresses.find(each)->first_seen_at; };
  const auto oldest =
    std::min_element(left.begin(), left.end(), [&](const address& a, const address& b) { return age(a) < age(b); });
  auto row = *found;
  row.primary = oldest == left.end() ? std::nullopt : std::optional{*oldest};
  rows_.profiles.put(of, std::move(row));
  effects_.profiles.insert(of);
}

// -- profiles ------------------------------------------------------------------------------------

user_id folding::user_for(profile_id created) {
  const auto* reserved = rows_.placeholders.find(created);
  const auto* subject = reserved && reserved->names ? rows_.subjects.find(*reserved->names) : nullptr;
  const auto* known = subject ? rows_.users.find(subject->user) : nullptr;
  const bool nobody = known && !known->profile && !known->merged_into;
  const auto* back = rows_.profiles.find(created); // a profile that was taken back keeps its user
  const auto out = back ? back->user : nobody ? subject->user : new_user(true);
  rows_.users.put(out, {created, true, std::nullopt});
  if (back && nobody)
    move_subject(reserved->names->key, out);
  return out;
}

void folding::on(const profile_events::profile_created& entry) {
  const auto created = ours(entry.profile);
  const auto owner = owner_of(entry.addr);
  if (profile(created) || (owner && !profile(*owner)->archived))
    fail(failed_duplicate());
  const auto user = user_for(created);
  const auto* invites = rows_.parameters.find({contract_kind::profile, "defaultInvites"});
  profile_row row;
  row.user = user;
  row.primary = entry.addr;
  row.invites_available = invites ? static_cast<std::int32_t>(std::stol(*invites)) : 0;
  row.created_at = where_.at;
  rows_.profiles.put(created, row);
  take_address(entry.addr, user);
  accept_invitations(created, entry.addr);
  effects_.profiles.insert(created);
}

void folding::on(const profile_events::mock_profile_created& entry) {
  const auto reserved = ours(entry.mock);
  if (profile(reserved) || rows_.placeholders.find(reserved))
    fail(failed_duplicate());
  rows_.placeholders.put(reserved, {});
}

void folding::archive_profile(const onchain_profile& which, bool archived) {
  const auto of = ours(which);
  auto row = existing_profile(of);
  row.archived = archived;
  auto user = rows_.users.at(row.user);
  user.active = !archived;
  rows_.users.put(row.user, user);
  rows_.profiles.put(of, row);
  effects_.profiles.insert(of);
}

void folding::on(const profile_events::address_claim& entry) {
  const auto of = ours(entry.profile);
  const auto& found = existing_profile(of);
  if (entry.claim == address_claim_kind::unclaimed)
    return let_go(of, entry.addr);
  const auto user = found.user;
  const auto* known = rows_.addresses.find(entry.addr);
  if (rows_.addresses.with(user).size() >= limits::addresses_by_events_max && !(known && known->user == user))
    fail(failed_refused("addresses_at_most_" + std::to_string(limits::addresses_by_events_max)));
  take_address(entry.addr, user);
  choose_primary(of);
  effects_.profiles.insert(of);
}

void folding::let_go(profile_id of, const address& which) {
  const auto user = profile(of)->user;
  const auto* row = rows_.addresses.find(which);
  if (!row || row->user != user)
    fail(failed_missing("address"));
  const auto holder = new_user(false);
  rows_.addresses.put(which, {holder, true, row->first_seen_at, where_.at});
  if (auto place = rows_.newest(which)) { // what the address received stays; what comes is the holder's
    ++place->generation;
    rows_.subjects.put(*place, {holder, std::nullopt, std::nullopt});
  }
  choose_primary(of);
  effects_.profiles.insert(of);
}

// -- invitations ---------------------------------------------------------------------------------

std::vector<invitation_id> folding::invitations_open_to(const address& recipient) const {
  std::vector<invitation_id> open;
  for (const auto each : rows_.invitations.with(recipient))
    if (rows_.invitations.find(each)->status == invitation_status::invited)
      open.push_back(each);
  return open;
}

std::optional<invitation_id> folding::open_invitation(profile_id sender, const address& recipient) const {
  for (const auto each : invitations_open_to(recipient))
    if (rows_.invitations.find(each)->sender == sender)
      return each;
  return std::nullopt;
}

void folding::accept_invitations(profile_id created, const address& whose) {
  const auto open = invitations_open_to(whose);
  const bool known = open.size() == 1;
  for (const auto each : open) {
    auto row = *rows_.invitations.find(each);
    row.status = known ? invitation_status::accepted : invitation_status::accepted_other_invitation;
    row.profile = created;
    row.accepted_at = where_.at;
    rows_.invitations.put(each, row);
  }
  if (known) {
    auto row = *rows_.profiles.find(created);
    row.inviter = rows_.invitations.find(open.front())->sender;
    rows_.profiles.put(created, row);
  } else if (!open.empty())
    effects_.texts.insert({text_kind::inviter, created.value});
}

void folding::set_invites(profile_id of, const uint256& count) {
  if (count > static_cast<std::uint64_t>(limits::invites_max))
    fail(failed_refused("invites_at_most_" + std::to_string(limits::invites_max)));
  auto row = *profile(of);
  row.invites_available = static_cast<std::int32_t>(count);
  rows_.profiles.put(of, row);
  effects_.profiles.insert(of);
}

void folding::on(const profile_events::user_invited& entry) {
  const auto sender = ours(entry.inviter);
  const auto& found = existing_profile(sender);
  if (open_invitation(sender, entry.invitee_address))
    fail(failed_duplicate());
  if (invitations_open_to(entry.invitee_address).size() >= limits::invitations_open_to_one_max)
    fail(failed_refused("invitations_at_most_" + std::to_string(limits::invitations_open_to_one_max)));
  invitation_row row;
  row.sender = sender;
  row.recipient = entry.invitee_address;
  row.invited_at = where_.at;
  const invitation_id number{next_id("invitation")};
  rows_.invitations.is_new(number);
  rows_.invitations.put(number, row);
  set_invites(sender, static_cast<std::uint64_t>(std::max(found.invites_available - 1, 0)));
}

void folding::on(const profile_events::uninvited& entry) {
  const auto sender = ours(entry.inviter);
  existing_profile(sender);
  const auto open = open_invitation(sender, entry.uninvited_user);
  if (!open)
    fail(failed_missing("invitation"));
  auto row = *rows_.invitations.find(*open);
  row.status = invitation_status::withdrawn;
  rows_.invitations.put(*open, row);
  set_invites(sender, entry.remaining_invites);
}

void folding::on(const profile_events::invites_added& entry) {
  const auto of = ours(entry.profile);
  const auto& found = existing_profile(of);
  const bool small = entry.amount <= static_cast<std::uint64_t>(limits::invites_max); // so that the sum fits
  set_invites(of, small ? uint256{entry.amount + found.invites_available} : entry.amount);
}

void folding::on(const profile_events::default_invites_changed& entry) {
  if (entry.default_invites > static_cast<std::uint64_t>(limits::invites_max))
    fail(failed_refused("invites_at_most_" + std::to_string(limits::invites_max)));
  set_parameter("defaultInvites", decimal(entry.default_invites));
}
void folding::on(const profile_events::profile_archived& entry) { archive_profile(entry.profile, true); }
void folding::on(const profile_events::profile_restored& entry) { archive_profile(entry.profile, false); }

// -- attestations --------------------------------------------------------------------------------

namespace {

attestation_row attestation_of(profile_id profile, people::account_service service, const std::string& account,
                               const std::string& evidence, unix_time at) {
  attestation_row out;
  out.profile = profile;
  out.service = name_of(service);
  out.account = account;
  out.evidence = evidence;
  out.created_at = at;
  return out;
}

} // namespace

void folding::on(const attestation_events::attestation_created& entry) {
  const auto number = ours(entry.attestation);
  const auto of = ours(entry.profile);
  expect_none(rows_.attestations, number);
  existing_profile(of);
  rows_.attestations.put(number, attestation_of(of, entry.service, entry.account, entry.evidence, where_.at));
  attest(of, entry.service, entry.account);
}

void folding::on(const attestation_events::attestation_claimed& entry) {
  const auto number = ours(entry.attestation);
  const auto of = ours(entry.profile);
  existing_profile(of);
  auto row = attestation_of(of, entry.service, entry.account, entry.evidence, where_.at);
  if (const auto* old = rows_.attestations.find(number)) {
    row.created_at = old->created_at;
    if (profile(old->profile) && old->profile != of)
      effects_.profiles.insert(old->profile);
  }
  rows_.attestations.put(number, std::move(row));
  attest(of, entry.service, entry.account);
}
void folding::on(const attestation_events::attestation_archived& entry) {
  archive_attestation(entry.attestation, true);
}
void folding::on(const attestation_events::attestation_restored& entry) {
  archive_attestation(entry.attestation, false);
}

void folding::attest(profile_id of, people::account_service service, const std::string& account) {
  const auto user = profile(of)->user;
  const subject_key key = attestation_hash(name_of(service), account);
  move_subject(key, user);
  const auto place = rows_.newest(key).value_or(subject_place{key, 0});
  rows_.subjects.put(place, {user, std::string{name_of(service)}, account});
  effects_.profiles.insert(of);
}

void folding::archive_attestation(const onchain_attestation& which, bool archived) {
  const auto number = ours(which);
  auto row = existing(rows_.attestations, number, "attestation");
  row.archived = archived;
  rows_.attestations.put(number, row);
  effects_.profiles.insert(row.profile);
}

} // namespace credence::chain
