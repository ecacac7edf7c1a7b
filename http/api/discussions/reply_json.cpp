#include "http/api/discussions/reply_json.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::reply_record& what) {
  to.field("id", what.id);
  to.field("contractType", reputation::name_of(what.on.kind));
  to.field("targetId", what.on.id);
  to.field("parentId", what.parent);
  to.field("authorProfileId", what.author);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("updatedAt", unix_seconds(what.updated_at));
  to.field("content", what.content);
  to.field("metadata", what.metadata);
  to.field("edits", what.edits);
  to.field("pinned", what.pinned);
}

void encode(json_writer& to, const reputation::reply_record& what) {
  to.begin_object();
  encode_members(to, what);
  to.end_object();
}

} // namespace credence::http
