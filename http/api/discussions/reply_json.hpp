#pragma once

#include "actors/reputation/reply_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// A reply (docs/api/records.md); moments are Unix seconds.
void encode(json_writer& to, const reputation::reply_record& record);
/// Its members, into an open object.
void encode_members(json_writer& to, const reputation::reply_record& record);
/// A vote on an activity; moments are Unix seconds.
void encode(json_writer& to, const reputation::activity_vote& vote);

} // namespace credence::http
