#include "http/api/bonds/bond_json.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::bond_record& record) {
  to.field("id", record.id);
  to.field("bondType", record.type);
  to.field("statement", record.statement);
  to.field("amount", record.amount);
  to.field("amountType", record.amount_type);
  to.field("expiration", record.expires_at == timestamp{} ? std::nullopt : std::optional{record.expires_at});
  to.field("authorProfileId", record.author);
  to.field("archived", record.ended.has_value());
  to.field("archivedAt", record.ended ? std::optional{unix_seconds(record.ended->at)} : std::nullopt);
  to.field("archiveReason", record.ended ? std::optional{record.ended->reason} : std::nullopt);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.key("metadata");
  to.begin_object();
  to.field("subjectProfileId", record.subject_profile ? std::optional{record.subject_profile} : std::nullopt);
  to.field("verificationMethod",
           record.method
             ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*record.method)]}
             : std::nullopt);
  to.field("comment", record.comment);
  to.end_object();
}

void encode(json_writer& to, const reputation::bond_record& record) {
  to.begin_object();
  encode_members(to, record);
  to.end_object();
}

std::string bond_link(const std::string& public_url, reputation::bond_id which) {
  return public_url + "/api/v2/activities/bond/" + std::to_string(which.value);
}

} // namespace credence::http
