#pragma once

#include "actors/reputation/record_words.hpp"
#include "actors/reputation/review_types.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

// What a userkey means as the subject of a record.

/// The userkey in a member that is required; mistakes go to the body's. `missing` follows "<name> is required".
people::lookup_key read_named(json_body& body, std::string_view name, const char* missing);
/// The same, but not the zero address, which is nobody's.
people::lookup_key read_somebody(json_body& body, std::string_view name, const char* missing);
/// The same in the member `subject`.
people::lookup_key read_subject(json_body& body);

/// Whether the key says by itself what it means: a wallet, or an account by its id.
bool names_itself(const people::lookup_key& key);

/// The subject of a review: a wallet or an account. A profile stands for its primary address, or else for an account of
/// it; a handle for the account that has it. Refused with `not_found` when the key leads to nobody and names neither.
outcome<reputation::named_subject> record_subject_of(const people::lookup_key& key, const people::user_bundle* who);

/// The userkey that names a subject.
std::string userkey_of(const reputation::named_subject& who);

/// `subject`, the address or the zero address, and `attestationDetails`, the account or empty texts; then
/// `subjectUserkey`.
void encode_subject(json_writer& to, const reputation::named_subject& who);

/// What a review says: `score`, `comment` and `metadata`; mistakes go to the body's.
inline void read_review_words(json_body& body, reputation::create_review& to) {
  to.score = static_cast<reputation::review_score>(read_one_of(body, "score", reputation::review_score_names));
  to.comment = read_words(body, "comment", 1, limits::review_comment_length_max);
  to.metadata = read_words(body, "metadata", 0, limits::record_metadata_length_max);
}

/// A review (docs/api/records.md): moments are Unix seconds; the author's address is the zero address where there was
/// none. `id` is 0 in the answer to a dry run that would make one.
void encode_members(json_writer& to, const reputation::review_record& record);

} // namespace credence::http
