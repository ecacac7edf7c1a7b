#include "actors/reputation/attestation_state.hpp"

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
std::optional<refusal> stays_where_it_is(const record_rows& rows, const attest_account& asked, const attestation_row* row) {
  const auto name = name_of(asked.which);
  if (row && row->listed)
    return refusal{refusal_code::account_taken, name + " is a listing's; it stays with the listing"};
  if (rows.slashed(asked.which.key))
    return refusal{refusal_code::slash_is_open, "an open slash names " + name + " or its user; it stays with whom it is until the slash is closed"};
  if (rows.judged(asked.which.key, asked.profile))
    return refusal{refusal_code::own_records, "profile " + std::to_string(asked.profile.value) + " has a review of " + name
                                                + " or a vouch for it; archive the one and withdraw the other first, as nobody judges themselves"};
  return std::nullopt;
}

/// The attestation as it is to be.
attestation_record after(const record_rows& rows, const attest_account& asked, const attestation_row* row, timestamp now) {
  attestation_record out;
  if (row)
    out = row->what;
  else
    out.id = attestation_id{rows.last().attestation + 1};
  if (!out.profile) // it begins to be an attestation
    out.created_at = now;
  out.profile = asked.profile;
  out.name = asked.which;
  if (asked.username)
    out.username = asked.username;
  out.evidence = asked.evidence;
  out.archived = false;
  out.updated_at = std::max(now, out.created_at);
  return out;
}

} // namespace

void add_keys(const attest_account& asked, record_keys& to) {
  to.profiles.insert(asked.profile);
  to.profiles.insert(asked.by);
  to.accounts.emplace(asked.which.key, asked.which);
  to.judged.emplace(asked.which.key, asked.profile);
}

outcome<decided<attestation_record, account_attested>> decide(const record_rows& rows, const attest_account& asked, const settings::people& how,
                                                              timestamp now) {
  if (!asked.as_admin) {
    if (!is_attestor(asked.by, how))
      return refusal{refusal_code::forbidden, "profile " + std::to_string(asked.by.value)
                                                + " may not attest accounts; an admin, with an access token, or a profile in people.attestors may"};
    if (const auto attestor = live(rows, asked.by); !attestor)
      return attestor.why();
  }
  const auto profile = live(rows, asked.profile);
  if (!profile)
    return profile.why();
  const auto* row = rows.attestation_of(asked.which.key);
  const bool own = row && row->owner == profile->user;
  const auto record = after(rows, asked, row, now);
  if (own && row->what.profile && !row->what.archived && row->what.username == record.username && row->what.evidence == record.evidence)
    return decided<attestation_record, account_attested>{row->what, std::nullopt};
  if (!own)
    if (auto why = stays_where_it_is(rows, asked, row))
      return *std::move(why);
  account_attested change{record, profile->user, !row};
  change.by = asked.by;
  if (row && !own) {
    change.before = row->owner;
    if (row->profile)
      change.profile_before = row->profile;
    change.merges = !row->profile && row->others == 0;
  }
  decided<attestation_record, account_attested> out{record, std::move(change)};
  if (asked.dry_run && !row)
    out.answer.id = {};
  return out;
}

void add_keys(const archive_attestation& asked, record_keys& to) {
  to.profiles.insert(asked.by);
  to.attestations.insert(asked.id);
}

outcome<decided<attestation_record, attestation_archived>> decide(const record_rows& rows, const archive_attestation& asked,
                                                                  const settings::people& how, timestamp now) {
  const auto* row = rows.attestation(asked.id);
  if (!row || !row->what.profile)
    return refusal{refusal_code::not_found, "there is no " + name_of(asked.id)};
  if (!asked.as_admin) {
    const bool owner = row->what.profile == asked.by;
    if (!is_attestor(asked.by, how) && !(owner && asked.archived))
      return refusal{refusal_code::forbidden,
                     asked.archived ? name_of(asked.id) + " is of profile " + std::to_string(row->what.profile.value)
                                        + "; that profile, a profile in people.attestors or an admin, with an access token, may archive it"
                                    : "only an admin, with an access token, or a profile in people.attestors restores an attestation"};
    if (const auto who = live(rows, asked.by); !who)
      return who.why();
  }
  decided<attestation_record, attestation_archived> out{row->what, std::nullopt};
  if (row->what.archived == asked.archived)
    return out;
  if (row->superseded)
    return refusal{refusal_code::account_taken, name_of(row->what.name) + " has a newer attestation than " + name_of(asked.id)};
  out.answer.archived = asked.archived;
  out.answer.updated_at = std::max(now, row->what.updated_at);
  out.change = attestation_archived{asked.id, asked.archived, out.answer.updated_at, row->what.profile};
  return out;
}

} // namespace credence::reputation
