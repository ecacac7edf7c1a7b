#include "actors/reputation/join_state.hpp"

#include "actors/domain/lower_case.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

refusal taken(const address_row& by) {
  return {refusal_code::address_taken,
          lower_text(by.account) + " belongs to " + (by.profile ? "profile " + std::to_string(by.profile.value) : std::string{"a listing"})};
}

refusal slash_open(const address& which) {
  return {refusal_code::slash_is_open,
          "an open slash names " + lower_text(which) + " or its user; it stays with whom it is until the slash is closed"};
}

refusal nonce_reused() { return {refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"}; }

/// Of the open invitations to an address the one that its profile accepts: that of the inviter it names, or else the earliest.
outcome<std::optional<invitation_record>> accepted(const record_rows& rows, const create_profile& asked, bool needed) {
  const auto open = rows.open_invitations(asked.account);
  const auto found = std::find_if(open.begin(), open.end(), [&](const auto& each) { return !asked.inviter || each.sender == *asked.inviter; });
  if (found != open.end())
    return std::optional{*found};
  if (!needed)
    return std::optional<invitation_record>{};
  return refusal{refusal_code::not_invited,
                 asked.inviter
                   ? "profile " + std::to_string(asked.inviter->value) + " has no open invitation to " + lower_text(asked.account)
                   : "nobody has an open invitation to " + lower_text(asked.account) + "; a live profile with invitations left may send one"};
}

} // namespace

// -- profiles --------------------------------------------------------------------------------

void add_keys(const create_profile& asked, record_keys& to) {
  to.addresses.insert(asked.account);
  if (asked.inviter)
    to.profiles.insert(*asked.inviter);
  if (asked.by)
    to.nonces.emplace(asked.by->signer, asked.by->nonce);
}

outcome<decided<profile_id, profile_created>> decide(const record_rows& rows, const create_profile& asked, const settings::people& how,
                                                     timestamp now) {
  const auto* row = rows.at(asked.account);
  if (row && row->owner && (row->profile || row->listed))
    return taken(*row);
  if (row && row->slashed)
    return slash_open(asked.account);
  if (asked.by && rows.used(*asked.by))
    return nonce_reused();
  const auto invitation = accepted(rows, asked, !asked.by_admin && (!how.open_registration || asked.inviter.has_value()));
  if (!invitation)
    return invitation.why();
  if (asked.by_admin && asked.inviter)
    if (const auto inviter = live(rows, *asked.inviter); !inviter)
      return inviter.why();
  profile_created change;
  change.id = profile_id{rows.last().profile.value + 1};
  change.account = asked.account;
  change.invites = how.default_invites;
  change.by = asked.by;
  change.at = now;
  if (*invitation)
    change.accepted = (*invitation)->id;
  change.inviter = *invitation ? std::optional{(*invitation)->sender} : asked.inviter;
  const bool known = row && row->owner;
  change.user = known ? row->owner : user_id{rows.last().user.value + 1};
  if (!known)
    change.fresh = rows.user_for(asked.account, how.default_avatar);
  return decided<profile_id, profile_created>{asked.dry_run ? profile_id{} : change.id, change};
}

void add_keys(const archive_profile& asked, record_keys& to) { to.profiles.insert(asked.id); }

outcome<decided<profile_id, profile_archived>> decide(const record_rows& rows, const archive_profile& asked, const settings::people&, timestamp now) {
  const auto* found = rows.profile(asked.id);
  if (!asked.as_admin && (asked.id != asked.by || !asked.archived))
    return refusal{refusal_code::forbidden, asked.archived ? "profile " + std::to_string(asked.id.value) + " is archived by itself or an admin"
                                                           : std::string{"only an admin, with an access token, restores a profile"}};
  if (!found)
    return refusal{refusal_code::not_found, "there is no profile " + std::to_string(asked.id.value)};
  decided<profile_id, profile_archived> out{asked.id, std::nullopt};
  if (found->archived != asked.archived)
    out.change = profile_archived{asked.id, found->user, asked.archived, now};
  return out;
}

void add_keys(const edit_profile& asked, record_keys& to) {
  to.profiles.insert(asked.id);
  if (asked.username)
    to.usernames.insert(lower_case(*asked.username));
}

outcome<decided<profile_id, profile_edited>> decide(const record_rows& rows, const edit_profile& asked, const settings::people&, timestamp now) {
  const auto profile = live(rows, asked.id);
  if (!profile)
    return profile.why();
  if (asked.username)
    if (const auto who = rows.user_named(lower_case(*asked.username)); who && who != profile->user)
      return refusal{refusal_code::username_taken, "the username " + *asked.username + " is taken; choose another one"};
  auto after = profile->texts;
  after.display_name = asked.display_name.value_or(after.display_name);
  after.avatar_url = asked.avatar_url.value_or(after.avatar_url);
  if (asked.username)
    after.username = asked.username;
  if (asked.description)
    after.description = asked.description->empty() ? std::nullopt : asked.description;
  decided<profile_id, profile_edited> out{asked.id, std::nullopt};
  if (!(after == profile->texts))
    out.change = profile_edited{asked.id, profile->user, std::move(after), now};
  return out;
}

// -- addresses -------------------------------------------------------------------------------

void add_keys(const link_address& asked, record_keys& to) {
  to.profiles.insert(asked.profile);
  to.addresses.insert(asked.account);
  to.judged.emplace(subject_key{asked.account}, asked.profile);
  to.nonces.emplace(asked.by.signer, asked.by.nonce);
}

outcome<decided<profile_id, address_linked>> decide(const record_rows& rows, const link_address& asked, const settings::people&, timestamp now) {
  const auto profile = live(rows, asked.profile);
  if (!profile)
    return profile.why();
  const auto* row = rows.at(asked.account);
  decided<profile_id, address_linked> out{asked.profile, std::nullopt};
  const bool known = row && row->owner;
  if (known && row->owner == profile->user)
    return out;
  if (known && (row->profile || row->listed))
    return taken(*row);
  if (row && row->slashed)
    return slash_open(asked.account);
  if (rows.judged(subject_key{asked.account}, asked.profile))
    return refusal{refusal_code::own_records, "profile " + std::to_string(asked.profile.value) + " has a review of " + lower_text(asked.account)
                                                + " or a vouch for it; archive the one and withdraw the other first, as nobody judges themselves"};
  if (rows.used(asked.by))
    return nonce_reused();
  if (profile->addresses.size() >= static_cast<std::size_t>(limits::addresses_per_profile_max))
    return refusal{refusal_code::address_limit_reached, "profile " + std::to_string(asked.profile.value) + " has "
                                                          + std::to_string(limits::addresses_per_profile_max)
                                                          + " addresses, the most there may be; unlink one first"};
  out.change = address_linked{asked.account,
                              asked.profile,
                              profile->user,
                              known ? std::optional{row->owner} : std::nullopt,
                              known && row->others == 0,
                              !profile->has_primary,
                              asked.by,
                              now};
  return out;
}

void add_keys(const unlink_address& asked, record_keys& to) {
  to.profiles.insert(asked.profile);
  to.addresses.insert(asked.account);
}

outcome<decided<profile_id, address_unlinked>> decide(const record_rows& rows, const unlink_address& asked, const settings::people& how,
                                                      timestamp now) {
  const auto profile = live(rows, asked.profile);
  if (!profile)
    return profile.why();
  const auto& own = profile->addresses;
  if (std::find(own.begin(), own.end(), asked.account) == own.end())
    return refusal{refusal_code::not_found,
                   lower_text(asked.account) + " is no primary or linked address of profile " + std::to_string(asked.profile.value)};
  if (const auto* row = rows.at(asked.account); row && row->slashed)
    return slash_open(asked.account);
  if (own.size() == 1)
    return refusal{refusal_code::last_address,
                   lower_text(asked.account) + " is the only address of profile " + std::to_string(asked.profile.value) + "; link another one first"};
  address_unlinked change;
  change.account = asked.account;
  change.profile = asked.profile;
  change.to = user_id{rows.last().user.value + 1};
  change.fresh = rows.user_for(asked.account, how.default_avatar);
  change.at = now;
  if (const auto* subject = rows.subject(subject_key{asked.account}); subject && subject->generation >= 0)
    change.generation = subject->generation + 1;
  if (profile->has_primary && own.front() == asked.account)
    change.primary = own[1];
  return decided<profile_id, address_unlinked>{asked.profile, change};
}

// -- invitations -----------------------------------------------------------------------------

void add_keys(const send_invitation& asked, record_keys& to) {
  to.profiles.insert(asked.sender);
  to.addresses.insert(asked.recipient);
}

outcome<decided<invitation_record, invitation_sent>> decide(const record_rows& rows, const send_invitation& asked, const settings::people&,
                                                            timestamp now) {
  const auto sender = live(rows, asked.sender);
  if (!sender)
    return sender.why();
  const auto* row = rows.at(asked.recipient);
  if (row && row->owner && (row->profile || row->listed))
    return taken(*row);
  for (const auto& each : rows.open_invitations(asked.recipient))
    if (each.sender == asked.sender)
      return refusal{refusal_code::already_invited,
                     "invitation " + std::to_string(each.id.value) + " to " + lower_text(asked.recipient) + " is open"};
  if (sender->invites < 1)
    return refusal{refusal_code::no_invites_left,
                   "profile " + std::to_string(asked.sender.value) + " has no invitations left; cancel an open one to send another"};
  const invitation_sent change{invitation_id{rows.last().invitation.value + 1}, asked.sender, asked.recipient, now};
  return decided<invitation_record, invitation_sent>{
    {asked.dry_run ? invitation_id{} : change.id, asked.sender, asked.recipient, invitation_status::invited, now}, change};
}

void add_keys(const cancel_invitation& asked, record_keys& to) {
  to.profiles.insert(asked.by);
  to.invitations.insert(asked.id);
}

outcome<decided<invitation_record, invitation_withdrawn>> decide(const record_rows& rows, const cancel_invitation& asked, const settings::people&,
                                                                 timestamp now) {
  const auto name = "invitation " + std::to_string(asked.id.value);
  const auto* found = rows.invitation(asked.id);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + name};
  if (found->sender != asked.by)
    return refusal{refusal_code::forbidden, name + " is of profile " + std::to_string(found->sender.value) + "; only its sender may cancel it"};
  if (const auto sender = live(rows, asked.by); !sender)
    return sender.why();
  decided<invitation_record, invitation_withdrawn> out{*found, std::nullopt};
  if (found->status == invitation_status::withdrawn)
    return out;
  if (found->status != invitation_status::invited)
    return refusal{refusal_code::invitation_closed, name + " is closed: a profile was made for " + lower_text(found->recipient)};
  out.answer.status = invitation_status::withdrawn;
  out.change = invitation_withdrawn{asked.id, asked.by, now};
  return out;
}

} // namespace credence::reputation
