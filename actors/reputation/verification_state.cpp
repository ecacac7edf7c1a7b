#include "actors/reputation/record_rules.hpp"

#include <algorithm>

namespace credence::reputation {

void add_keys(const decide_verification& command, record_keys& to) {
  to.profiles.insert(command.profile);
  to.verifications.insert(command.profile);
}

outcome<decided<profile_id, verification_decided>> decide(const record_rows& rows, const decide_verification& command,
                                                          const settings::people&, timestamp now) {
  const auto name = "profile " + std::to_string(command.profile.value);
  const auto* profile = rows.profile(command.profile);
  if (command.verified)
    if (const auto alive = live(rows, command.profile); !alive)
      return alive.why();
  if (!profile)
    return refusal{refusal_code::not_found, "there is no " + name};
  using people::human_verification;
  const auto* row = rows.verification(command.profile);
  const auto before = row ? row->status : std::nullopt;
  decided<profile_id, verification_decided> out{command.profile, std::nullopt};
  const bool said = row && row->record && row->record->verified == command.verified;
  if (said) // what bonds have made of a person is no admin's word yet
    return out;
  if (!command.verified && before != human_verification::verified && before != human_verification::revoked)
    return refusal{refusal_code::not_verified, name + " is not verified, so there is no verification to withdraw"};
  verification_record after;
  if (row && row->record)
    after = *row->record;
  else
    after.created_at = now;
  after.profile = command.profile;
  after.user = profile->user;
  after.verified = command.verified;
  if (command.verified)
    after.method = command.method;
  after.comment = command.comment;
  after.by = command.by;
  after.updated_at = std::max(now, after.created_at);
  if (command.verified)
    after.verified_at = after.updated_at;
  out.change = verification_decided{std::move(after), before};
  return out;
}

} // namespace credence::reputation
