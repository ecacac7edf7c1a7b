#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of replies and of votes on activities.
namespace credence::reputation {

/// Whether a vote stands so already.
bool is_as_wished(const activity_vote& before, const put_vote& wanted);
/// The refusal of a withdrawal by somebody who has not voted.
refusal no_vote_to_withdraw(const activity& on);

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
