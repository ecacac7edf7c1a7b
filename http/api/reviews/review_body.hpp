#pragma once

#include "actors/reputation/review_types.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

/// What a review says: `score`, `comment` and `metadata`; mistakes go to the body's.
inline void read_review_words(json_body& body, reputation::create_review& to) {
  to.score = static_cast<reputation::review_score>(read_one_of(body, "score", reputation::review_score_names));
  to.comment = read_words(body, "comment", 1, limits::review_comment_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

} // namespace credence::http
