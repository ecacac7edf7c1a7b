// The public vectors of spruceid/siwe. Its file for EIP-1271 is left out: those accounts are
// contracts, whose signatures only the chain can check; this service takes accounts with a
// key. That their signatures name no such account is what is shown of them.
#include "auth/address.hpp"
#include "auth/rfc3339.hpp"
#include "auth/signature.hpp"
#include "auth/siwe_message.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/auth/vectors.hpp"

#include <gtest/gtest.h>

namespace credence::auth {
namespace {

using rapidjson::Value;

/// The text that an object of fields makes, whether it is right or not; a field that is
/// not there leaves an empty line, as in its texts that must be refused.
std::string text_of(const Value& fields) {
  const auto part = [&](const char* name) { return text_if_any(fields, name).value_or(""); };
  const auto line = [&](const char* tag, const char* name) {
    const auto value = text_if_any(fields, name);
    return value ? "\n" + std::string{tag} + *value : std::string{"\n"};
  };
  const auto optional = [&](const char* tag, const char* name) {
    return fields.HasMember(name) ? line(tag, name) : "";
  };
  std::string out = part("domain") + " wants you to sign in with your Ethereum account:\n" + part("address") + "\n\n";
  if (fields.HasMember("statement"))
    out += part("statement") + "\n";
  out += line("URI: ", "uri") + line("Version: ", "version") + "\n";
  if (fields.HasMember("chainId"))
    out += "Chain ID: " + (fields["chainId"].IsInt() ? std::to_string(fields["chainId"].GetInt()) : part("chainId"));
  out += line("Nonce: ", "nonce") + line("Issued At: ", "issuedAt") + optional("Expiration Time: ", "expirationTime")
         + optional("Not Before: ", "notBefore") + optional("Request ID: ", "requestId");
  if (fields.HasMember("resources")) {
    out += "\nResources:";
    for (const auto& each : fields["resources"].GetArray())
      out += std::string{"\n- "} + each.GetString();
  }
  return out;
}

void expect_fields(const siwe_message& m, const Value& fields) {
  EXPECT_EQ(m.scheme, text_if_any(fields, "scheme"));
  EXPECT_EQ(m.domain, text_in(fields, "domain"));
  EXPECT_EQ(checksummed_text(m.account), text_in(fields, "address"));
  EXPECT_EQ(m.statement, text_if_any(fields, "statement"));
  EXPECT_EQ(m.uri, text_in(fields, "uri"));
  EXPECT_EQ(text_in(fields, "version"), "1");
  EXPECT_EQ(m.chain_id, fields["chainId"].GetUint64());
  EXPECT_EQ(m.nonce, text_in(fields, "nonce"));
  EXPECT_EQ(m.issued_at.text, text_in(fields, "issuedAt"));
  EXPECT_EQ(m.expiration_time.has_value(), fields.HasMember("expirationTime"));
  EXPECT_EQ(m.not_before.has_value(), fields.HasMember("notBefore"));
  EXPECT_EQ(m.request_id, text_if_any(fields, "requestId"));
  ASSERT_EQ(m.resources.has_value(), fields.HasMember("resources"));
  if (m.resources) {
    ASSERT_EQ(m.resources->size(), fields["resources"].Size());
    for (unsigned i = 0; i < m.resources->size(); ++i)
      EXPECT_EQ((*m.resources)[i], fields["resources"][i].GetString());
  }
}

TEST(SiweVectors, WhatMustBeReadIsReadAndWrittenTheSame) {
  CREDENCE_VECTORS(file, "siwe", "parsing_positive.json");
  for (const auto& each : file.GetObject()) {
    SCOPED_TRACE(each.name.GetString());
    const auto text = text_in(each.value, "message");
    const auto read = parse_siwe_message(text);
    ASSERT_TRUE(read) << explain(read.why());
    expect_fields(*read, each.value["fields"]);
    EXPECT_EQ(siwe_text(*read), text);
  }
  EXPECT_EQ(file.MemberCount(), 19u);
}

TEST(SiweVectors, WhatMustNotBeReadIsRefused) {
  CREDENCE_VECTORS(file, "siwe", "parsing_negative.json");
  for (const auto& each : file.GetObject())
    EXPECT_FALSE(parse_siwe_message(each.value.GetString())) << each.name.GetString();
  EXPECT_EQ(file.MemberCount(), 29u);
}

TEST(SiweVectors, ObjectsThatAreNoMessagesMakeTextsThatAreRefused) {
  CREDENCE_VECTORS(file, "siwe", "parsing_negative_objects.json");
  for (const auto& each : file.GetObject())
    EXPECT_FALSE(parse_siwe_message(text_of(each.value))) << text_of(each.value);
  EXPECT_EQ(file.MemberCount(), 18u);
}

/// How a vector fares here: read, meant for the domain at that time, signed by its account.
struct verdict {
  bool read = false;
  std::optional<siwe_refusal> refusal;
  bool nonce_matches = true;
  bool signed_by_account = false;
  bool holds() const { return read && !refusal && nonce_matches && signed_by_account; }
};

verdict verify(const Value& fields) {
  verdict out;
  const auto text = text_of(fields);
  const auto read = parse_siwe_message(text);
  out.read = static_cast<bool>(read);
  const auto signature = parse_signature(text_in(fields, "signature"));
  if (signature) {
    const auto signer = recover_signer(personal_message_hash(text), *signature);
    out.signed_by_account = signer && checksummed_text(*signer) == text_in(fields, "address");
  }
  if (!read)
    return out;
  siwe_expectation expected; // as the vectors mean it: any lifetime, and an end only if there is one
  expected.domains = {text_if_any(fields, "domainBinding").value_or(text_in(fields, "domain"))};
  expected.origins = {text_in(fields, "uri")};
  expected.chain_id = fields["chainId"].GetUint64();
  expected.lifetime_max = std::chrono::hours{24 * 366 * 100};
  expected.expiration_required = false;
  const auto now = parse_rfc3339(text_if_any(fields, "time").value_or("2026-03-01T12:00:00Z"));
  out.refusal = check(*read, expected, *now);
  out.nonce_matches = read->nonce == text_if_any(fields, "matchNonce").value_or(read->nonce);
  return out;
}

TEST(SiweVectors, WhatMustVerifyDoes) {
  CREDENCE_VECTORS(file, "siwe", "verification_positive.json");
  for (const auto& each : file.GetObject()) {
    SCOPED_TRACE(each.name.GetString());
    const auto got = verify(each.value);
    EXPECT_TRUE(got.read && got.signed_by_account && got.nonce_matches);
    // It is looked at two years before it was issued, for which its author does not care; here it does not count.
    const bool before_issue = each.name == "expired message";
    EXPECT_EQ(got.refusal, before_issue ? std::optional{siwe_refusal::issued_in_future} : std::nullopt);
  }
  EXPECT_EQ(file.MemberCount(), 4u);
}

TEST(SiweVectors, WhatMustNotVerifyDoesNotForTheReasonItNames) {
  CREDENCE_VECTORS(file, "siwe", "verification_negative.json");
  for (const auto& each : file.GetObject()) {
    const std::string name = each.name.GetString();
    SCOPED_TRACE(name);
    const auto got = verify(each.value);
    EXPECT_FALSE(got.holds());
    EXPECT_EQ(got.read, !name.starts_with("invalid "));
    if (got.read) {
      EXPECT_EQ(got.signed_by_account, name != "malformed signature" && name != "wrong signature");
    }
    EXPECT_EQ(got.nonce_matches, name != "custom nonce") << "to know its nonce is the caller's part";
    std::optional<siwe_refusal> refusal;
    if (name == "expired message" || name == "custom time")
      refusal = siwe_refusal::expired;
    if (name == "domain binding")
      refusal = siwe_refusal::wrong_domain;
    if (name == "not yet valid")
      refusal = siwe_refusal::not_yet_valid;
    EXPECT_EQ(got.refusal, refusal);
  }
  EXPECT_EQ(file.MemberCount(), 10u);
}

TEST(SiweVectors, ContractsAreReadButNoSignatureOfTheirsNamesThem) {
  CREDENCE_VECTORS(file, "siwe", "eip1271.json");
  for (const auto& each : file.GetObject()) {
    SCOPED_TRACE(each.name.GetString());
    const auto text = text_in(each.value, "message");
    const auto read = parse_siwe_message(text);
    ASSERT_TRUE(read) << explain(read.why());
    const auto signature = parse_signature(text_in(each.value, "signature"));
    if (!signature)
      continue;
    const auto signer = recover_signer(personal_message_hash(text), *signature);
    EXPECT_FALSE(signer && *signer == read->account);
  }
  EXPECT_EQ(file.MemberCount(), 2u);
}

} // namespace
} // namespace credence::auth
