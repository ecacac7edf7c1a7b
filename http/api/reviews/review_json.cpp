#include "http/api/reviews/review_json.hpp"

#include "auth/address.hpp"
#include "http/api/reviews/record_subject.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::review_record& what) {
  to.field("id", what.id);
  to.field("authorProfileId", what.author);
  to.field("author", auth::checksummed_text(what.author_address.value_or(address{})));
  encode_subject(to, what.subject.name);
  to.field("score", reputation::review_score_names[static_cast<std::size_t>(what.score)]);
  to.field("comment", what.comment);
  to.field("metadata", what.metadata);
  to.field("archived", what.archived);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("updatedAt", unix_seconds(what.updated_at));
  to.field("edits", what.edits);
}

void encode(json_writer& to, const reputation::review_record& what) {
  to.begin_object();
  encode_members(to, what);
  to.end_object();
}

} // namespace credence::http
