#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of replies and of votes on activities.
namespace credence::reputation {

void add_keys(const create_reply& asked, record_keys& to);
void add_keys(const edit_reply& asked, record_keys& to);
void add_keys(const put_vote& asked, record_keys& to);

outcome<decided<reply_record, reply_created>> decide(const record_rows& rows, const create_reply& asked, const settings::people& how, timestamp now);
outcome<decided<reply_record, reply_edited>> decide(const record_rows& rows, const edit_reply& asked, const settings::people& how, timestamp now);
outcome<decided<activity_vote, activity_voted>> decide(const record_rows& rows, const put_vote& asked, const settings::people& how, timestamp now);

} // namespace credence::reputation
