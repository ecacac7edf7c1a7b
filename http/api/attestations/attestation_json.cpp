#include "http/api/attestations/attestation_json.hpp"

#include "actors/domain/hex.hpp"

namespace credence::http {

void encode(json_writer& to, const reputation::attestation_record& record) {
  const auto& account = record.name.account.value();
  std::string hash{"0x"};
  append_hex(hash, record.name.key.bytes());
  to.begin_object();
  to.field("id", record.id);
  to.field("hash", hash);
  to.field("archived", record.archived);
  to.field("profileId", record.profile);
  to.field("service", people::name_of(account.service));
  to.field("account", account.id);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("evidence", record.evidence);
  to.key("extra");
  to.begin_object();
  to.field("username", record.username);
  to.field("url", record.url);
  to.end_object();
  to.end_object();
}

} // namespace credence::http
