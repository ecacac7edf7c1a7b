#include "actors/reputation/record_rules.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

refusal taken(const address_row& by) {
  return {refusal_code::address_taken,
          lower_text(by.account) + " belongs to "
            + (by.profile ? "profile " + std::to_string(by.profile.value) : std::string{"a listing"})};
}

refusal slash_open(const address& which) {
  return {refusal_code::slash_is_open, "an open slash names " + lower_text(which)
                                         + " or its user; it stays with whom it is until the slash is closed"};
}

refusal nonce_reused() {
  return {refusal_code::nonce_reused, "the nonce of this message has been used; sign a new message"};
}

/// Of the open invitations to an address the one that its profile accepts: that of the inviter it names, or else the
/// earliest.
outcome<std::optional<invitation_record>> accepted(const record_rows& rows, const create_profile& command,
                                                   bool needed) {
  const auto open = rows.open_invitations(command.account);
  const auto found = std::find_if(
    open.begin(), open.end(), [&](const auto& each) { return !command.inviter || each.sender == *command.inviter; });
  if (found != open.end())
    return std::optional{*found};
  if (!needed)
    return std::optional<invitation_record>{};
  return refusal{refusal_code::not_invited, command.inviter
                                              ? "profile " + std::to_string(command.inviter->value)
                                                  + " has no open invitation to " + lower_text(command.account)
                                              : "nobody has an open invitation to " + lower_text(command.account)
                                                  + "; a live profile with invitations left may send one"};
}

} // namespace

// -- profiles --------------------------------------------------------------------------------

void add_keys(const create_profile& command, record_keys& to) {
  to.addresses.insert(command.account);
  if (command.inviter)
    to.profiles.insert(*command.inviter);
  if (command.by)
    to.nonces.emplace(command.by->signer, command.by->nonce);
}

outcome<decided<profile_id, profile_created>> decide(const record_rows& rows, const create_profile& command,
                                                     const settings::people& how, timestamp now) {
  const auto* row = rows.at(command.account);
  if (row && row->owner && (row->profile || row->listed))
    return taken(*row);
  if (row && row->slashed)
    return slash_open(command.account);
  if (command.by && rows.used(*command.by))
    return nonce_reused();
  const auto invitation =
    accepted(rows, command, !command.by_admin && (!how.open_registration || command.inviter.has_value()));
  if (!invitation)
    return invitation.why();
  if (command.by_admin && command.inviter)
    if (const auto inviter = live(rows, *command.inviter); !inviter)
      return inviter.why();
  profile_created change;
  change.id = profile_id{rows.last().profile.value + 1};
  change.account = command.account;
  change.invites = how.default_invites;
  change.by = command.by;
  change.at = now;
  if (*invitation)
    change.accepted = (*invitation)->id;
  change.inviter = *invitation ? std::optional{(*invitation)->sender} : command.inviter;
  const bool known = row && row->owner;
  change.user = known ? row->owner : user_id{rows.last().user.value + 1};
  if (!known)
    change.fresh = rows.user_for(command.account, how.default_avatar);
  return decided<profile_id, profile_created>{command.dry_run ? profile_id{} : change.id, change};
}

void add_keys(const archive_profile& command, record_keys& to) { to.profiles.insert(command.id); }

outcome<decided<profile_id, profile_archived>> decide(const record_rows& rows, const archive_profile& command,
                                                      const settings::people&, timestamp now) {
  const auto* found = rows.profile(command.id);
  if (!command.as_admin && (command.id != command.by || !command.archived))
    return refusal{refusal_code::forbidden,
                   command.archived
                     ? "profile " + std::to_string(command.id.value) + " is archived by itself or an admin"
                     : std::string{"only an admin, with an access token, restores a profile"}};
  if (!found)
    return refusal{refusal_code::not_found, "there is no profile " + std::to_string(command.id.value)};
  decided<profile_id, profile_archived> out{command.id, std::nullopt};
  if (found->archived != command.archived)
    out.change = profile_archived{command.id, found->user, command.archived, now};
  return out;
}

void add_keys(const edit_profile& command, record_keys& to) {
  to.profiles.insert(command.id);
  if (command.username)
    to.usernames.insert(lower_case(*command.username));
}

outcome<decided<profile_id, profile_edited>> decide(const record_rows& rows, const edit_profile& command,
                                                    const settings::people&, timestamp now) {
  const auto profile = live(rows, command.id);
  if (!profile)
    return profile.why();
  if (command.username)
    if (const auto who = rows.user_named(lower_case(*command.username)); who && who != profile->user)
      return refusal{refusal_code::username_taken,
                     "the username " + *command.username + " is taken; choose another one"};
  auto after = profile->texts;
  after.display_name = command.display_name.value_or(after.display_name);
  after.avatar_url = command.avatar_url.value_or(after.avatar_url);
  if (command.username)
    after.username = command.username;
  if (command.description)
    after.description = command.description->empty() ? std::nullopt : command.description;
  decided<profile_id, profile_edited> out{command.id, std::nullopt};
  if (!(after == profile->texts))
    out.change = profile_edited{command.id, profile->user, std::move(after), now};
  return out;
}

// -- addresses -------------------------------------------------------------------------------

void add_keys(const link_address& command, record_keys& to) {
  to.profiles.insert(command.profile);
  to.addresses.insert(command.account);
  to.judged.emplace(subject_key{command.account}, command.profile);
  if (command.by)
    to.nonces.emplace(command.by->signer, command.by->nonce);
}

outcome<decided<profile_id, address_linked>> decide(const record_rows& rows, const link_address& command,
                                                    const settings::people&, timestamp now) {
  const auto profile = live(rows, command.profile);
  if (!profile)
    return profile.why();
  const auto* row = rows.at(command.account);
  decided<profile_id, address_linked> out{command.profile, std::nullopt};
  const bool known = row && row->owner;
  if (known && row->owner == profile->user)
    return out;
  if (known && (row->profile || row->listed))
    return taken(*row);
  if (row && row->slashed)
    return slash_open(command.account);
  if (rows.judged(subject_key{command.account}, command.profile))
    return refusal{refusal_code::own_records,
                   "profile " + std::to_string(command.profile.value) + " has a review of "
                     + lower_text(command.account)
                     + " or a vouch for it; archive the one and withdraw the other first, as nobody judges themselves"};
  if (command.by && rows.used(*command.by))
    return nonce_reused();
  if (profile->addresses.size() >= static_cast<std::size_t>(limits::addresses_per_profile_max))
    return refusal{refusal_code::address_limit_reached, "profile " + std::to_string(command.profile.value) + " has "
                                                          + std::to_string(limits::addresses_per_profile_max)
                                                          + " addresses, the most there may be; unlink one first"};
  out.change = address_linked{
    command.account,           command.profile,       profile->user, known ? std::optional{row->owner} : std::nullopt,
    known && row->others == 0, !profile->has_primary, command.by,    now};
  return out;
}

void add_keys(const unlink_address& command, record_keys& to) {
  to.profiles.insert(command.profile);
  to.addresses.insert(command.account);
}

outcome<decided<profile_id, address_unlinked>> decide(const record_rows& rows, const unlink_address& command,
                                                      const settings::people& how, timestamp now) {
  const auto profile = live(rows, command.profile);
  if (!profile)
    return profile.why();
  const auto& own = profile->addresses;
  if (std::find(own.begin(), own.end(), command.account) == own.end())
    return refusal{refusal_code::not_found, lower_text(command.account) + " is no primary or linked address of profile "
                                              + std::to_string(command.profile.value)};
  if (const auto* row = rows.at(command.account); row && row->slashed)
    return slash_open(command.account);
  if (own.size() == 1)
    return refusal{refusal_code::last_address, lower_text(command.account) + " is the only address of profile "
                                                 + std::to_string(command.profile.value) + "; link another one first"};
  address_unlinked change;
  change.account = command.account;
  change.profile = command.profile;
  change.to = user_id{rows.last().user.value + 1};
  change.fresh = rows.user_for(command.account, how.default_avatar);
  change.at = now;
  if (const auto* subject = rows.subject(subject_key{command.account}); subject && subject->generation >= 0)
    change.generation = subject->generation + 1;
  if (profile->has_primary && own.front() == command.account)
    change.primary = own[1];
  return decided<profile_id, address_unlinked>{command.profile, change};
}

// -- invitations -----------------------------------------------------------------------------

void add_keys(const send_invitation& command, record_keys& to) {
  to.profiles.insert(command.sender);
  to.addresses.insert(command.recipient);
}

outcome<decided<invitation_record, invitation_sent>> decide(const record_rows& rows, const send_invitation& command,
                                                            const settings::people&, timestamp now) {
  const auto sender = live(rows, command.sender);
  if (!sender)
    return sender.why();
  const auto* row = rows.at(command.recipient);
  if (row && row->owner && (row->profile || row->listed))
    return taken(*row);
  const auto open = rows.open_invitations(command.recipient);
  for (const auto& each : open)
    if (each.sender == command.sender)
      return refusal{refusal_code::already_invited, "invitation " + std::to_string(each.id.value) + " to "
                                                      + lower_text(command.recipient) + " is open"};
  if (open.size() >= limits::invitations_open_to_one_max)
    return refusal{refusal_code::already_invited,
                   std::to_string(open.size()) + " invitations to " + lower_text(command.recipient) + " are open"};
  if (sender->invites < 1)
    return refusal{refusal_code::no_invites_left, "profile " + std::to_string(command.sender.value)
                                                    + " has no invitations left; cancel an open one to send another"};
  const invitation_sent change{invitation_id{rows.last().invitation.value + 1}, command.sender, command.recipient, now};
  return decided<invitation_record, invitation_sent>{
    {command.dry_run ? invitation_id{} : change.id, command.sender, command.recipient, invitation_status::invited, now},
    change};
}

void add_keys(const cancel_invitation& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.invitations.insert(command.id);
}

outcome<decided<invitation_record, invitation_withdrawn>>
decide(const record_rows& rows, const cancel_invitation& command, const settings::people&, timestamp now) {
  const auto name = "invitation " + std::to_string(command.id.value);
  const auto* found = rows.invitation(command.id);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + name};
  if (found->sender != command.by)
    return refusal{refusal_code::forbidden,
                   name + " is of profile " + std::to_string(found->sender.value) + "; only its sender may cancel it"};
  if (const auto sender = live(rows, command.by); !sender)
    return sender.why();
  decided<invitation_record, invitation_withdrawn> out{*found, std::nullopt};
  if (found->status == invitation_status::withdrawn)
    return out;
  if (found->status != invitation_status::invited)
    return refusal{refusal_code::invitation_closed,
                   name + " is closed: a profile was made for " + lower_text(found->recipient)};
  out.answer.status = invitation_status::withdrawn;
  out.change = invitation_withdrawn{command.id, command.by, now};
  return out;
}

} // namespace credence::reputation
