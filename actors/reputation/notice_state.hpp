#pragma once

#include "actors/reputation/notice_types.hpp"
#include "actors/reputation/record_rules.hpp"

/// The rule of reading notifications.
namespace credence::reputation {

void add_keys(const mark_notices_read& command, record_keys& to);

/// Always so: whoever asks has read what there is.
outcome<decided<timestamp, notices_read>> decide(const record_rows& rows, const mark_notices_read& command,
                                                 const settings::people& how, timestamp now);

} // namespace credence::reputation
