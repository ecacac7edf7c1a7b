#pragma once

#include "actors/reputation/review_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// A review (docs/api/records.md): moments are Unix seconds; the author's address is the zero address where there was
/// none. `id` is 0 in the answer to a dry run that would make one.
void encode(json_writer& to, const reputation::review_record& record);
/// Its members, into an open object.
void encode_members(json_writer& to, const reputation::review_record& record);

} // namespace credence::http
