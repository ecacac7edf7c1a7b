#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of vouches.
namespace credence::reputation {

void add_keys(const create_vouch& command, record_keys& to);
void add_keys(const move_vouch& command, record_keys& to);
void add_keys(const mark_unhealthy& command, record_keys& to);

outcome<decided<vouch_record, vouch_created>> decide(const record_rows& rows, const create_vouch& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<vouch_record, vouch_moved>> decide(const record_rows& rows, const move_vouch& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<vouch_record, vouch_marked_unhealthy>> decide(const record_rows& rows, const mark_unhealthy& command,
                                                              const settings::people& how, timestamp now);

} // namespace credence::reputation
