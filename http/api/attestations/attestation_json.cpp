#include "http/api/attestations/attestation_json.hpp"

#include "actors/domain/hex.hpp"

namespace credence::http {

void encode(json_writer& to, const reputation::attestation_record& what) {
  const auto& account = what.name.account.value();
  std::string hash{"0x"};
  append_hex(hash, what.name.key.bytes());
  to.begin_object();
  to.field("id", what.id);
  to.field("hash", hash);
  to.field("archived", what.archived);
  to.field("profileId", what.profile);
  to.field("service", people::name_of(account.service));
  to.field("account", account.id);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("updatedAt", unix_seconds(what.updated_at));
  to.field("evidence", what.evidence);
  to.key("extra");
  to.begin_object();
  to.field("username", what.username);
  to.field("url", what.url);
  to.end_object();
  to.end_object();
}

} // namespace credence::http
