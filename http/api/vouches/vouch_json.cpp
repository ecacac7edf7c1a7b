#include "http/api/vouches/vouch_json.hpp"

#include "actors/domain/hex.hpp"
#include "auth/address.hpp"
#include "http/api/reviews/record_subject.hpp"

namespace credence::http {

namespace {

std::optional<std::string> text_of(const std::optional<address>& which) {
  return which ? std::optional{auth::checksummed_text(*which)} : std::nullopt;
}

std::int64_t seconds_of(const std::optional<timestamp>& at) { return at ? unix_seconds(*at) : 0; }

void encode_vouched(json_writer& to, const reputation::vouch_record& what) {
  const auto& name = what.subject.name;
  to.field("subjectProfileId", what.subject_profile);
  to.field("subjectAddress", text_of(name.key.wallet()));
  if (!name.account) {
    to.key("attestationHash");
    to.null();
    to.key("attestationDetails");
    return to.null();
  }
  std::string hash = "0x";
  append_hex(hash, name.key.bytes());
  to.field("attestationHash", hash);
  to.key("attestationDetails");
  to.begin_object();
  to.field("account", name.account->id);
  to.field("service", people::name_of(name.account->service));
  to.end_object();
}

} // namespace

void encode_members(json_writer& to, const reputation::vouch_record& what, const char* unit) {
  to.field("id", what.id);
  to.field("authorProfileId", what.author);
  to.field("authorAddress", text_of(what.author_address));
  encode_vouched(to, what);
  to.field("subjectUserkey", userkey_of(what.subject.name));
  to.field("token", reputation::vouch_token_names[static_cast<std::size_t>(what.token)]);
  to.field("staked", decimal(what.staked) + unit);
  to.field("deposited", decimal(what.deposited) + unit);
  to.field("balance", decimal(what.balance) + unit);
  to.field("withdrawn", decimal(what.withdrawn) + unit);
  to.field("comment", what.comment);
  to.field("metadata", what.metadata);
  to.field("archived", what.archived);
  to.field("unhealthy", what.unhealthy);
  to.key("activityCheckpoints");
  to.begin_object();
  to.field("vouchedAt", unix_seconds(what.vouched_at));
  to.field("unvouchedAt", seconds_of(what.unvouched_at));
  to.field("unhealthyAt", seconds_of(what.unhealthy_at));
  to.end_object();
}

void encode(json_writer& to, const reputation::vouch_record& what) {
  to.begin_object();
  encode_members(to, what);
  to.end_object();
}

} // namespace credence::http
