#include "actors/reputation/record_rules.hpp"

#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(bond_id which) { return "bond " + std::to_string(which.value); }

refusal no_bond(bond_id which) { return {refusal_code::not_found, "there is no " + name_of(which)}; }

/// A moment at which a bond may end, if it lies ahead.
std::optional<refusal> past(timestamp expires_at, timestamp now) {
  if (expires_at > now)
    return std::nullopt;
  return refusal{refusal_code::invalid_input,
                 "expiration must be after " + iso_text(now) + ", not " + iso_text(expires_at)};
}

/// Why the two profiles can have no bond, if so.
std::optional<refusal> in_the_way(const record_rows& rows, const create_bond& command) {
  for (const auto who : {command.author, command.subject})
    if (const auto found = live(rows, who); !found)
      return found.why();
  const auto author = "profile " + std::to_string(command.author.value);
  if (command.author == command.subject)
    return refusal{refusal_code::invalid_input, "subjectProfileId must be another profile than authorProfileId: "
                                                  + author + " cannot make a bond for itself"};
  const auto* status = rows.verification(command.author);
  if (!status || !status->verifier)
    return refusal{
      refusal_code::forbidden,
      author
        + " is no verifier; whoever stands for a person owns a validator NFT, is verified as human, has a score"
          " above 1600 and has not lost the right"};
  return std::nullopt;
}

} // namespace

void add_keys(const create_bond& command, record_keys& to) {
  const subject_key key{command.subject};
  to.profiles.insert(command.author);
  to.profiles.insert(command.subject);
  to.verifications.insert(command.author);
  to.subjects.emplace(key, named_subject{key, std::nullopt});
}
void add_keys(const archive_bond& command, record_keys& to) { to.bonds.insert(command.id); }
void add_keys(const set_bond_expiration& command, record_keys& to) { to.bonds.insert(command.id); }

outcome<decided<bond_record, bond_created>> decide(const record_rows& rows, const create_bond& command,
                                                   const settings::people& how, timestamp now) {
  if (auto why = in_the_way(rows, command))
    return *std::move(why);
  if (auto why = unsettled(rows, subject_key{command.subject}))
    return *std::move(why);
  const auto expires_at = command.expires_at.value_or(now + std::chrono::days{limits::bond_days_default});
  if (auto why = past(expires_at, now))
    return *std::move(why);
  auto subject = rows.subject_for({subject_key{command.subject}, std::nullopt}, how.default_avatar);
  bond_created change;
  auto& bond = change.record;
  bond.id = bond_id{rows.last().bond + 1};
  bond.author = command.author;
  bond.subject = std::move(subject.ref);
  bond.subject_profile = command.subject;
  bond.type = command.type;
  bond.amount = command.amount;
  bond.amount_type = command.amount_type;
  bond.statement = command.statement;
  bond.method = command.method;
  bond.comment = command.comment;
  bond.expires_at = expires_at;
  bond.created_at = bond.updated_at = now;
  change.subject = std::move(subject.fresh);
  change.by = command.by;
  decided<bond_record, bond_created> out{bond, change};
  if (command.dry_run)
    out.answer.id = {};
  return out;
}

outcome<decided<bond_record, bond_archived>> decide(const record_rows& rows, const archive_bond& command,
                                                    const settings::people&, timestamp now) {
  const auto* found = rows.bond(command.id);
  if (!found)
    return no_bond(command.id);
  decided<bond_record, bond_archived> out{*found, std::nullopt};
  if (found->ended)
    return out;
  auto& after = out.answer;
  after.updated_at = std::max(now, found->created_at);
  after.ended = bond_end{after.updated_at, command.by, command.reason};
  out.change = bond_archived{command.id, found->author, found->subject_profile, *after.ended};
  return out;
}

outcome<decided<bond_record, bond_expiration_set>> decide(const record_rows& rows, const set_bond_expiration& command,
                                                          const settings::people&, timestamp now) {
  const auto* found = rows.bond(command.id);
  if (!found)
    return no_bond(command.id);
  if (found->ended)
    return refusal{refusal_code::record_archived,
                   name_of(command.id) + " was archived at " + iso_text(found->ended->at) + "; make another one"};
  if (auto why = past(command.expires_at, now))
    return *std::move(why);
  decided<bond_record, bond_expiration_set> out{*found, std::nullopt};
  if (found->expires_at == command.expires_at)
    return out;
  auto& after = out.answer;
  after.expires_at = command.expires_at;
  after.updated_at = std::max(now, found->created_at);
  out.change = bond_expiration_set{command.id,         found->author, found->subject_profile, found->expires_at,
                                   command.expires_at, command.by,    after.updated_at};
  return out;
}

} // namespace credence::reputation
