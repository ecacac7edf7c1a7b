#include "http/api/discussions/reply_json.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::reply_record& record) {
  to.field("id", record.id);
  to.field("contractType", reputation::name_of(record.on.kind));
  to.field("targetId", record.on.id);
  to.field("parentId", record.parent);
  to.field("authorProfileId", record.author);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("content", record.content);
  to.field("metadata", record.metadata);
  to.field("edits", record.edits);
  to.field("pinned", record.pinned);
}

void encode(json_writer& to, const reputation::reply_record& record) {
  to.begin_object();
  encode_members(to, record);
  to.end_object();
}

} // namespace credence::http
