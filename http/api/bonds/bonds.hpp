#pragma once

#include "actors/reputation/bond_types.hpp"
#include "http/call/json_writer.hpp"

#include <string>

namespace credence::http {

/// The members of a bond (docs/api/records.md), into an open object. `expiration` is ISO 8601, other moments are Unix
/// seconds. `id` is 0 in the answer to a dry run that would make one.
void encode_members(json_writer& to, const reputation::bond_record& record);

/// Where the activity of a bond is read.
std::string bond_link(const std::string& public_url, reputation::bond_id which);

} // namespace credence::http
