#include "http/api/bonds/bond_json.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::bond_record& what) {
  to.field("id", what.id);
  to.field("bondType", what.type);
  to.field("statement", what.statement);
  to.field("amount", what.amount);
  to.field("amountType", what.amount_type);
  to.field("expiration", what.expires_at);
  to.field("authorProfileId", what.author);
  to.field("archived", what.ended.has_value());
  to.field("archivedAt", what.ended ? std::optional{unix_seconds(what.ended->at)} : std::nullopt);
  to.field("archiveReason", what.ended ? std::optional{what.ended->reason} : std::nullopt);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("updatedAt", unix_seconds(what.updated_at));
  to.key("metadata");
  to.begin_object();
  to.field("subjectProfileId", what.subject_profile);
  to.field("verificationMethod",
           what.method ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*what.method)]} : std::nullopt);
  to.field("comment", what.comment);
  to.end_object();
}

void encode(json_writer& to, const reputation::bond_record& what) {
  to.begin_object();
  encode_members(to, what);
  to.end_object();
}

std::string bond_link(const std::string& public_url, reputation::bond_id which) {
  return public_url + "/api/v2/activities/bond/" + std::to_string(which.value);
}

} // namespace credence::http
