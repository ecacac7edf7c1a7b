#include "http/api/reviews/review_json.hpp"

#include "auth/address.hpp"
#include "http/api/reviews/record_subject.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::review_record& record) {
  to.field("id", record.id);
  to.field("authorProfileId", record.author);
  to.field("author", auth::checksummed_text(record.author_address.value_or(address{})));
  encode_subject(to, record.subject.name);
  to.field("score", reputation::review_score_names[static_cast<std::size_t>(record.score)]);
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("archived", record.archived);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("edits", record.edits);
}

void encode(json_writer& to, const reputation::review_record& record) {
  to.begin_object();
  encode_members(to, record);
  to.end_object();
}

} // namespace credence::http
