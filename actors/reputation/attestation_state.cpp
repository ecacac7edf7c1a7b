#include "actors/reputation/record_rules.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(const named_subject& who) {
  const auto& account = who.account.value();
  return "account " + account.id + " at " + std::string{people::name_of(account.service)};
}

std::string name_of(attestation_id which) { return "attestation " + std::to_string(which.value); }

bool is_attestor(profile_id who, const settings::people& how) {
  return std::find(how.attestors.begin(), how.attestors.end(), who.value) != how.attestors.end();
}

/// Why an account may not come to a profile from whoever has it, if so.
std::optional<refusal> stays_where_it_is(const record_rows& rows, const attest_account& command,
                                         const attestation_row* row) {
  const auto name = name_of(command.which);
  if (row && row->listed)
    return refusal{refusal_code::account_taken, name + " is a listing's; it stays with the listing"};
  if (row && row->profile && !command.from_profiles)
    return refusal{refusal_code::account_taken, name + " belongs to profile " + std::to_string(row->profile.value)};
  if (rows.slashed(command.which.key))
    return refusal{refusal_code::slash_is_open,
                   "an open slash names " + name + " or its user; it stays with whom it is until the slash is closed"};
  if (rows.judged(command.which.key, command.profile))
    return refusal{refusal_code::own_records,
                   "profile " + std::to_string(command.profile.value) + " has a review of " + name
                     + " or a vouch for it; archive the one and withdraw the other first, as nobody judges themselves"};
  return std::nullopt;
}

/// The attestation as it is to be.
attestation_record after(const record_rows& rows, const attest_account& command, const attestation_row* row,
                         timestamp now) {
  attestation_record out;
  if (row)
    out = row->record;
  else
    out.id = attestation_id{rows.last().attestation + 1};
  if (!out.profile) // it begins to be an attestation
    out.created_at = now;
  out.profile = command.profile;
  out.name = command.which;
  if (command.username)
    out.username = command.username;
  out.evidence = command.evidence;
  out.archived = false;
  out.updated_at = std::max(now, out.created_at);
  return out;
}

} // namespace

void add_keys(const attest_account& command, record_keys& to) {
  to.profiles.insert(command.profile);
  to.profiles.insert(command.by);
  to.accounts.emplace(command.which.key, command.which);
  to.judged.emplace(command.which.key, command.profile);
}

outcome<decided<attestation_record, account_attested>> decide(const record_rows& rows, const attest_account& command,
                                                              const settings::people& how, timestamp now) {
  if (!command.as_admin) {
    if (!is_attestor(command.by, how))
      return refusal{
        refusal_code::forbidden,
        "profile " + std::to_string(command.by.value)
          + " may not attest accounts; an admin, with an access token, or a profile in people.attestors may"};
    if (const auto attestor = live(rows, command.by); !attestor)
      return attestor.why();
  }
  const auto profile = live(rows, command.profile);
  if (!profile)
    return profile.why();
  const auto* row = rows.attestation_of(command.which.key);
  const bool own = row && row->owner == profile->user;
  const auto record = after(rows, command, row, now);
  if (own && row->record.profile && !row->record.archived && row->record.username == record.username
      && row->record.evidence == record.evidence)
    return decided<attestation_record, account_attested>{row->record, std::nullopt};
  if (!own)
    if (auto why = stays_where_it_is(rows, command, row))
      return *std::move(why);
  account_attested change{record, profile->user, !row};
  change.by = command.by;
  if (row && !own) {
    change.before = row->owner;
    if (row->profile)
      change.profile_before = row->profile;
    change.merges = !row->profile && row->others == 0;
  }
  decided<attestation_record, account_attested> out{record, std::move(change)};
  if (command.dry_run && !row)
    out.answer.id = {};
  return out;
}

void add_keys(const archive_attestation& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.attestations.insert(command.id);
}

outcome<decided<attestation_record, attestation_archived>>
decide(const record_rows& rows, const archive_attestation& command, const settings::people& how, timestamp now) {
  const auto* row = rows.attestation(command.id);
  if (!row || !row->record.profile)
    return refusal{refusal_code::not_found, "there is no " + name_of(command.id)};
  if (!command.as_admin) {
    const bool owner = row->record.profile == command.by;
    if (!is_attestor(command.by, how) && !(owner && command.archived))
      return refusal{
        refusal_code::forbidden,
        command.archived
          ? name_of(command.id) + " is of profile " + std::to_string(row->record.profile.value)
              + "; that profile, a profile in people.attestors or an admin, with an access token, may archive it"
          : "only an admin, with an access token, or a profile in people.attestors restores an attestation"};
    if (const auto who = live(rows, command.by); !who)
      return who.why();
  }
  decided<attestation_record, attestation_archived> out{row->record, std::nullopt};
  if (row->record.archived == command.archived)
    return out;
  if (row->superseded)
    return refusal{refusal_code::account_taken,
                   name_of(row->record.name) + " has a newer attestation than " + name_of(command.id)};
  out.answer.archived = command.archived;
  out.answer.updated_at = std::max(now, row->record.updated_at);
  out.change = attestation_archived{command.id, command.archived, out.answer.updated_at, row->record.profile};
  return out;
}

} // namespace credence::reputation
