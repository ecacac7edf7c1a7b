#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of replies and of votes on activities.
namespace credence::reputation {

void add_keys(const create_reply& command, record_keys& to);
void add_keys(const edit_reply& command, record_keys& to);
void add_keys(const put_vote& command, record_keys& to);

outcome<decided<reply_record, reply_created>> decide(const record_rows& rows, const create_reply& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<reply_record, reply_edited>> decide(const record_rows& rows, const edit_reply& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<activity_vote, activity_voted>> decide(const record_rows& rows, const put_vote& command,
                                                       const settings::people& how, timestamp now);

} // namespace credence::reputation
