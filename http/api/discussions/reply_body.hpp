#pragma once

#include "actors/reputation/reply_types.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

/// What a reply says: `content` and `metadata`; mistakes go to the body's.
inline void read_reply_words(json_body& body, reputation::create_reply& to) {
  to.content = read_words(body, "content", 1, limits::reply_content_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

} // namespace credence::http
