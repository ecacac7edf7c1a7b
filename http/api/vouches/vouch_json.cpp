#include "http/api/vouches/vouch_json.hpp"

#include "actors/domain/hex.hpp"
#include "auth/address.hpp"
#include "http/api/reviews/record_subject.hpp"

namespace credence::http {

namespace {

std::optional<std::string> optional_address_text(const std::optional<address>& which) {
  return which ? std::optional{auth::checksummed_text(*which)} : std::nullopt;
}

std::int64_t seconds_of(const std::optional<timestamp>& at) { return at ? unix_seconds(*at) : 0; }

void encode_vouched(json_writer& to, const reputation::vouch_record& record) {
  const auto& name = record.subject.name;
  to.field("subjectProfileId", record.subject_profile);
  to.field("subjectAddress", optional_address_text(name.key.wallet()));
  const auto bytes = name.key.bytes();
  if (bytes.size() != digest32{}.size()) {
    to.key("attestationHash");
    to.null();
    to.key("attestationDetails");
    return to.null();
  }
  std::string hash = "0x";
  append_hex(hash, bytes);
  to.field("attestationHash", hash);
  to.key("attestationDetails");
  if (!name.account) // a chain has told the hash alone
    return to.null();
  to.begin_object();
  to.field("account", name.account->id);
  to.field("service", people::name_of(name.account->service));
  to.end_object();
}

} // namespace

void encode_members(json_writer& to, const reputation::vouch_record& record, const char* unit) {
  to.field("id", record.id);
  to.field("contract", reputation::vouch_contract_names[static_cast<std::size_t>(record.contract)]);
  to.field("authorProfileId", record.author);
  to.field("authorAddress", optional_address_text(record.author_address));
  encode_vouched(to, record);
  to.field("subjectUserkey", userkey_of(record.subject.name));
  to.field("token", reputation::vouch_token_names[static_cast<std::size_t>(record.token)]);
  to.field("staked", decimal(record.staked) + unit);
  to.field("deposited", decimal(record.deposited) + unit);
  to.field("balance", decimal(record.balance) + unit);
  to.field("withdrawn", decimal(record.withdrawn) + unit);
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("archived", record.archived);
  to.field("unhealthy", record.unhealthy);
  to.key("activityCheckpoints");
  to.begin_object();
  to.field("vouchedAt", unix_seconds(record.vouched_at));
  to.field("unvouchedAt", seconds_of(record.unvouched_at));
  to.field("unhealthyAt", seconds_of(record.unhealthy_at));
  to.end_object();
}

void encode(json_writer& to, const reputation::vouch_record& record) {
  to.begin_object();
  encode_members(to, record);
  to.end_object();
}

} // namespace credence::http
