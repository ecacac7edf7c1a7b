#pragma once

#include "actors/reputation/vouch_types.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

/// What a vouch says: `comment` and `metadata`; mistakes go to the body's.
inline void read_vouch_words(json_body& body, reputation::create_vouch& to) {
  to.comment = read_words(body, "comment", 0, limits::review_comment_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

} // namespace credence::http
