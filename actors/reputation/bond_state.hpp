#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of bonds.
namespace credence::reputation {

void add_keys(const create_bond& command, record_keys& to);
void add_keys(const archive_bond& command, record_keys& to);
void add_keys(const set_bond_expiration& command, record_keys& to);

outcome<decided<bond_record, bond_created>> decide(const record_rows& rows, const create_bond& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<bond_record, bond_archived>> decide(const record_rows& rows, const archive_bond& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<bond_record, bond_expiration_set>> decide(const record_rows& rows, const set_bond_expiration& command,
                                                          const settings::people& how, timestamp now);

} // namespace credence::reputation
