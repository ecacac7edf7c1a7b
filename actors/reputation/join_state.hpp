#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of joining: profiles, their addresses, invitations.
namespace credence::reputation {

void add_keys(const create_profile& command, record_keys& to);
void add_keys(const archive_profile& command, record_keys& to);
void add_keys(const edit_profile& command, record_keys& to);
void add_keys(const link_address& command, record_keys& to);
void add_keys(const unlink_address& command, record_keys& to);
void add_keys(const send_invitation& command, record_keys& to);
void add_keys(const cancel_invitation& command, record_keys& to);

outcome<decided<profile_id, profile_created>> decide(const record_rows& rows, const create_profile& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<profile_id, profile_archived>> decide(const record_rows& rows, const archive_profile& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<profile_id, profile_edited>> decide(const record_rows& rows, const edit_profile& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<profile_id, address_linked>> decide(const record_rows& rows, const link_address& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<profile_id, address_unlinked>> decide(const record_rows& rows, const unlink_address& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<invitation_record, invitation_sent>> decide(const record_rows& rows, const send_invitation& command,
                                                            const settings::people& how, timestamp now);
outcome<decided<invitation_record, invitation_withdrawn>>
decide(const record_rows& rows, const cancel_invitation& command, const settings::people& how, timestamp now);

} // namespace credence::reputation
