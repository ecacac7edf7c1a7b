#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of human verification.
namespace credence::reputation {

void add_keys(const decide_verification& command, record_keys& to);

outcome<decided<profile_id, verification_decided>> decide(const record_rows& rows, const decide_verification& command,
                                                          const settings::people& how, timestamp now);

} // namespace credence::reputation
