#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of what projects say of themselves.
namespace credence::reputation {

void add_keys(const create_project& command, record_keys& to);
void add_keys(const edit_project& command, record_keys& to);
void add_keys(const archive_project& command, record_keys& to);

outcome<decided<project_id, project_created>> decide(const record_rows& rows, const create_project& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<project_id, project_edited>> decide(const record_rows& rows, const edit_project& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<project_id, project_archived>> decide(const record_rows& rows, const archive_project& command,
                                                      const settings::people& how, timestamp now);

/// The refusal of a project that is not there.
refusal no_project(project_id which);

} // namespace credence::reputation
