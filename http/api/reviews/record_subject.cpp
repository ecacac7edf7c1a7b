#include "http/api/reviews/record_subject.hpp"

#include "auth/address.hpp"
#include "auth/keccak.hpp"
#include "http/api/slashes/slash_subject.hpp"
#include "http/call/userkey.hpp"

namespace credence::http {

std::string userkey_of(const reputation::named_subject& who) {
  if (who.account)
    return "service:" + std::string{people::name_of(who.account->service)} + ":" + who.account->id;
  if (const auto wallet = who.key.wallet())
    return "address:" + auth::checksummed_text(*wallet);
  return "profileId:" + std::to_string(who.key.profile().value_or(profile_id{}).value);
}

people::lookup_key read_subject(json_body& body) {
  const auto text = body.text("subject");
  if (!text) {
    if (body.good())
      body.issue("subject is required: a userkey such as address:0x… or service:x.com:<id>");
    return {};
  }
  auto key = parse_userkey(*text);
  if (!key) {
    body.issue("subject: " + key.why().detail);
    return {};
  }
  if (key->how == people::lookup_key::form::address && key->text.find_first_not_of('\0') == std::string::npos)
    body.issue("subject must not be the zero address, which is nobody's");
  return *std::move(key);
}

bool names_itself(const people::lookup_key& key) {
  return key.how == people::lookup_key::form::address || key.how == people::lookup_key::form::account;
}

outcome<reputation::named_subject> record_subject_of(const people::lookup_key& key, const people::user_bundle* who) {
  const auto found = subject_of(key, who);
  if (!found)
    return found.why();
  if (found->wallet)
    return reputation::named_subject{reputation::subject_key{*found->wallet}, std::nullopt};
  const auto& account = found->account.value();
  return reputation::named_subject{
    reputation::subject_key{auth::attestation_hash(people::name_of(account.service), account.id)},
    reputation::account{account.service, account.id}};
}

void encode_subject(json_writer& to, const reputation::named_subject& who) {
  to.field("subject", auth::checksummed_text(who.key.wallet().value_or(address{})));
  to.key("attestationDetails");
  to.begin_object();
  to.field("account", who.account ? std::string_view{who.account->id} : "");
  to.field("service", who.account ? people::name_of(who.account->service) : "");
  to.end_object();
  to.field("subjectUserkey", userkey_of(who));
}

} // namespace credence::http
