#pragma once

#include "actors/reputation/record_rules.hpp"

/// The rules of categories and chains.
namespace credence::reputation {

void add_keys(const create_category& command, record_keys& to);
void add_keys(const edit_category& command, record_keys& to);
void add_keys(const create_chain& command, record_keys& to);
void add_keys(const edit_chain& command, record_keys& to);

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const create_category& command,
                                                         const settings::people& how, timestamp now);
outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const edit_category& command,
                                                         const settings::people& how, timestamp now);
outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const create_chain& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const edit_chain& command,
                                                   const settings::people& how, timestamp now);

/// The refusal of a category or a chain that is not there.
refusal no_category(category_id which);
refusal no_chain(chain_id which);

} // namespace credence::reputation
