#include "actors/reputation/record_rules.hpp"

#include "actors/people/people_index.hpp"
#include "config/limits.hpp"

namespace credence::reputation {

outcome<profile_row> live(const record_rows& rows, profile_id who) {
  const auto* found = rows.profile(who);
  if (!found || found->archived)
    return people::not_live(who);
  if (found->unsettled)
    return people::not_yet_settled(who, found->unsettled);
  return *found;
}

std::optional<refusal> unsettled(const record_rows& rows, const subject_key& subject) {
  const auto* found = rows.subject(subject);
  if (!found || !found->unsettled)
    return std::nullopt;
  return not_yet_settled("the subject", found->unsettled);
}

refusal too_many_of(profile_id author) {
  return {refusal_code::too_many_records,
          "profile " + std::to_string(author.value) + " has made " + std::to_string(limits::records_a_day_max)
            + " reviews and vouches in the last 24 hours, the most there may be; try again later"};
}

// -- notifications -----------------------------------------------------------------------------

void add_keys(const mark_notices_read&, record_keys&) {}

outcome<decided<timestamp, notices_read>> decide(const record_rows&, const mark_notices_read& command,
                                                 const settings::people&, timestamp now) {
  return decided<timestamp, notices_read>{now, notices_read{command.whose, now}};
}

} // namespace credence::reputation
