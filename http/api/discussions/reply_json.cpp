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

void encode(json_writer& to, const reputation::activity_vote& vote) {
  to.begin_object();
  to.field("type", reputation::name_of(vote.on.kind));
  to.field("targetId", vote.on.id);
  to.field("voter", vote.voter);
  to.field("isUpvote", vote.upvote);
  to.field("isArchived", vote.archived);
  to.field("createdAt", unix_seconds(vote.created_at));
  to.field("updatedAt", unix_seconds(vote.updated_at));
  to.end_object();
}

} // namespace credence::http
