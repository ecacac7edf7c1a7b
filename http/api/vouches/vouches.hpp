#pragma once

#include "actors/reputation/vouch_types.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace credence::http {

class call;

/// What a vouch says: `comment` and `metadata`; mistakes go to the body's.
inline void read_vouch_words(json_body& body, reputation::create_vouch& to) {
  to.comment = read_words(body, "comment", 0, limits::review_comment_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

/// A vouch (docs/api/records.md): amounts are wei as decimal text, moments Unix seconds, 0 for never. `id` is 0 in the
/// answer to a dry run that would make one. `unit` follows each amount, as the `n` of version 1.
void encode_members(json_writer& to, const reputation::vouch_record& record, const char* unit = "");

/// The fees of vouches in basis points, by the names that clients know; all are 0 where no contract of vouches is
/// followed.
using vouch_fee_list = std::array<std::pair<const char*, std::int32_t>, 4>;
void ask_vouch_fees(call& c, void (*then)(call&, const vouch_fee_list&));

} // namespace credence::http
