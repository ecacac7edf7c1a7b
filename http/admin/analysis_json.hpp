#pragma once

#include "actors/integrity/integrity_types.hpp"
#include "http/call/json_writer.hpp"

#include <string>

namespace credence::http {

/// How an analysis goes and what the last one found, each group in one list: by its only sign, or in `groups` if it has
/// several.
void encode(json_writer& to, const integrity::analysis& how);

namespace admin {

/// The members of an object that say who a group is and what speaks for it.
void write_group(json_writer& to, const integrity::found_group& group);
/// What a group did, for people.
std::string summary_of(const integrity::found_group& group);
/// How unlikely chance is, for people: `less than once in 10^40`.
std::string unlikely_text(double decades);

} // namespace admin

} // namespace credence::http
