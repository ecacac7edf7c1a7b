#include "actors/reputation/verification_state.hpp"

#include <algorithm>

namespace credence::reputation {

void add_keys(const decide_verification& asked, record_keys& to) {
  to.profiles.insert(asked.profile);
  to.verifications.insert(asked.profile);
}

outcome<decided<profile_id, verification_decided>> decide(const record_rows& rows, const decide_verification& asked, const settings::people&,
                                                          timestamp now) {
  const auto name = "profile " + std::to_string(asked.profile.value);
  const auto* profile = rows.profile(asked.profile);
  if (asked.verified)
    if (const auto alive = live(rows, asked.profile); !alive)
      return alive.why();
  if (!profile)
    return refusal{refusal_code::not_found, "there is no " + name};
  using people::human_verification;
  const auto* row = rows.verification(asked.profile);
  const auto before = row ? row->status : std::nullopt;
  decided<profile_id, verification_decided> out{asked.profile, std::nullopt};
  const bool said = row && row->record && row->record->verified == asked.verified;
  if (said) // what bonds have made of a person is no admin's word yet
    return out;
  if (!asked.verified && before != human_verification::verified && before != human_verification::revoked)
    return refusal{refusal_code::not_verified, name + " is not verified, so there is no verification to withdraw"};
  verification_record after;
  if (row && row->record)
    after = *row->record;
  else
    after.created_at = now;
  after.profile = asked.profile;
  after.user = profile->user;
  after.verified = asked.verified;
  if (asked.verified)
    after.method = asked.method;
  after.comment = asked.comment;
  after.by = asked.by;
  after.updated_at = std::max(now, after.created_at);
  if (asked.verified)
    after.verified_at = after.updated_at;
  out.change = verification_decided{std::move(after), before};
  return out;
}

} // namespace credence::reputation
