#include "actors/reputation/record_rules.hpp"

#include "actors/score/score_facts.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(vouch_id which) { return "vouch " + std::to_string(which.value); }

/// Money that is put in now.
score::vouch_part part_of(const wei& amount, timestamp now) {
  return {amount, std::max(std::chrono::floor<std::chrono::days>(now), score::day{})};
}

/// A vouch that its author, a live profile, may change.
outcome<vouch_record> own_vouch(const record_rows& rows, vouch_id which, profile_id by) {
  const auto* found = rows.vouch(which);
  if (!found)
    return refusal{refusal_code::not_found, "there is no " + name_of(which)};
  if (found->author != by)
    return refusal{refusal_code::forbidden, name_of(which) + " is of profile " + std::to_string(found->author.value)
                                              + "; only its author may change it"};
  if (const auto author = live(rows, by); !author)
    return author.why();
  return *found;
}

refusal too_much() { return {refusal_code::invalid_amount, "a vouch holds at most 10^36 wei"}; }

/// Why the author may not vouch for that user now, if so.
std::optional<refusal> in_the_way(const record_rows& rows, const create_vouch& command, user_id subject) {
  const auto own = rows.active_vouches_of(command.author);
  for (const auto& each : own)
    if (each.token == command.token && (each.subject_user == subject || each.subject == command.subject.key))
      return refusal{refusal_code::already_vouched,
                     name_of(each.id) + " for the same subject is active; increase it, or withdraw it first"};
  if (own.size() >= static_cast<std::size_t>(limits::vouches_each_way_max))
    return refusal{refusal_code::vouch_limit_reached, "profile " + std::to_string(command.author.value) + " has "
                                                        + std::to_string(limits::vouches_each_way_max)
                                                        + " active vouches, the most there may be; withdraw one first"};
  if (rows.active_vouches_for(subject) >= limits::vouches_each_way_max)
    return refusal{refusal_code::vouch_limit_reached, "the subject has " + std::to_string(limits::vouches_each_way_max)
                                                        + " active vouches, the most there may be"};
  return std::nullopt;
}

} // namespace

void add_keys(const create_vouch& command, record_keys& to) {
  to.profiles.insert(command.author);
  to.authors.insert(command.author);
  to.subjects.emplace(command.subject.key, command.subject);
  to.vouchers.insert(command.author);
  if (const auto profile = command.subject.key.profile())
    to.profiles.insert(*profile);
}
void add_keys(const move_vouch& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.vouches.insert(command.id);
}
void add_keys(const mark_unhealthy& command, record_keys& to) {
  to.profiles.insert(command.by);
  to.vouches.insert(command.id);
}

outcome<decided<vouch_record, vouch_created>> decide(const record_rows& rows, const create_vouch& command,
                                                     const settings::people& how, timestamp now) {
  const auto author = live(rows, command.author);
  if (!author)
    return author.why();
  if (command.amount > transfer_wei_max)
    return too_much();
  if (const auto profile = command.subject.key.profile())
    if (const auto vouched = live(rows, *profile); !vouched)
      return vouched.why();
  if (auto why = unsettled(rows, command.subject.key))
    return *std::move(why);
  auto subject = rows.subject_for(command.subject, how.default_avatar);
  if (subject.user == author->user)
    return refusal{refusal_code::cannot_vouch_self, "the subject is profile " + std::to_string(command.author.value)
                                                      + " itself; a profile vouches for others only"};
  if (auto why = in_the_way(rows, command, subject.user))
    return *std::move(why);
  if (rows.made_enough(command.author))
    return too_many_of(command.author);
  vouch_created change;
  auto& vouch = change.record;
  vouch.id = vouch_id{rows.last().vouch.value + 1};
  vouch.author = command.author;
  vouch.author_address = author->wallet();
  vouch.subject = std::move(subject.ref);
  vouch.subject_user = subject.user;
  if (const auto profile = command.subject.key.profile())
    vouch.subject_profile = profile;
  vouch.token = command.token;
  vouch.staked = vouch.deposited = vouch.balance = command.amount;
  vouch.parts = {part_of(command.amount, now)};
  vouch.comment = command.comment;
  vouch.metadata = command.metadata;
  vouch.vouched_at = now;
  change.subject = std::move(subject.fresh);
  decided<vouch_record, vouch_created> out{vouch, change};
  if (command.dry_run)
    out.answer.id = {};
  return out;
}

outcome<decided<vouch_record, vouch_moved>> decide(const record_rows& rows, const move_vouch& command,
                                                   const settings::people&, timestamp now) {
  const auto found = own_vouch(rows, command.id, command.by);
  if (!found)
    return found.why();
  decided<vouch_record, vouch_moved> out{*found, std::nullopt};
  auto& after = out.answer;
  if (after.archived && command.way == vouch_move::withdraw)
    return out;
  if (after.archived)
    return refusal{refusal_code::record_archived, name_of(command.id) + " is withdrawn; make another one"};
  if (command.way != vouch_move::withdraw && command.token != after.token)
    return refusal{refusal_code::invalid_amount,
                   name_of(command.id) + " is in "
                     + std::string{vouch_token_names[static_cast<std::size_t>(after.token)]}
                     + "; so must the amount be"};
  if (command.way == vouch_move::increase) {
    if (command.amount > transfer_wei_max || after.staked + command.amount > transfer_wei_max)
      return too_much();
    after.staked += command.amount;
    after.deposited += command.amount;
    after.balance += command.amount;
    score::put(after.parts, part_of(command.amount, now));
  } else if (command.way == vouch_move::decrease) {
    if (command.amount >= after.balance)
      return refusal{refusal_code::invalid_amount, name_of(command.id) + " holds " + decimal(after.balance)
                                                     + " wei; a decrease leaves some of it, withdraw it to take all"};
    score::take(after.parts, command.amount);
    after.balance -= command.amount;
    after.withdrawn += command.amount;
  } else {
    after.withdrawn += after.balance;
    after.balance = 0;
    after.parts.clear();
    after.archived = true;
    after.unvouched_at = std::max(now, after.vouched_at);
  }
  out.change =
    vouch_moved{command.id,    command.by,      command.way, after.staked,   after.deposited,
                after.balance, after.withdrawn, after.parts, after.archived, after.unvouched_at.value_or(now)};
  return out;
}

outcome<decided<vouch_record, vouch_marked_unhealthy>> decide(const record_rows& rows, const mark_unhealthy& command,
                                                              const settings::people&, timestamp now) {
  const auto found = own_vouch(rows, command.id, command.by);
  if (!found)
    return found.why();
  decided<vouch_record, vouch_marked_unhealthy> out{*found, std::nullopt};
  if (found->unhealthy)
    return out;
  if (!found->archived)
    return refusal{refusal_code::vouch_active, name_of(command.id) + " is active; withdraw it first"};
  const auto until =
    found->unvouched_at.value_or(found->vouched_at) + std::chrono::hours{limits::unhealthy_within_hours};
  if (now > until)
    return refusal{refusal_code::unhealthy_too_late,
                   name_of(command.id) + " could be called unhealthy until " + iso_text(until)};
  out.answer.unhealthy = true;
  out.answer.unhealthy_at = std::max(now, *found->unvouched_at);
  out.change = vouch_marked_unhealthy{command.id, command.by, *out.answer.unhealthy_at};
  return out;
}

} // namespace credence::reputation
