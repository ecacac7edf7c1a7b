#include "auth/rfc3339.hpp"
#include "auth/signature.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/auth/vectors.hpp"

#include <gtest/gtest.h>

namespace credence::auth {
namespace {

using namespace std::chrono_literals;

const std::string full = "https://example.com wants you to sign in with your Ethereum account:\n"
                         "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n"
                         "\n"
                         "Create an API key of Credence.\n"
                         "\n"
                         "URI: https://example.com\n"
                         "Version: 1\n"
                         "Chain ID: 8453\n"
                         "Nonce: 0123456789abcdef\n"
                         "Issued At: 2026-03-01T12:00:00.000Z\n"
                         "Expiration Time: 2026-03-01T12:10:00.000Z\n"
                         "Not Before: 2026-03-01T12:00:00.000Z\n"
                         "Request ID: some_id\n"
                         "Resources:\n"
                         "- https://example.com/terms\n"
                         "- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu";

const auto issued = timestamp{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};

std::string with(const std::string& part, const std::string& instead) {
  auto text = full;
  const auto at = text.find(part);
  EXPECT_NE(at, text.npos) << part;
  return text.replace(at, part.size(), instead);
}

siwe_message message(const std::string& text = full) {
  const auto read = parse_siwe_message(text);
  EXPECT_TRUE(read) << text << '\n' << explain(read.why());
  return *read;
}

TEST(SiweMessage, IsReadInFull) {
  const auto m = message();
  EXPECT_EQ(m.scheme, "https");
  EXPECT_EQ(m.domain, "example.com");
  EXPECT_EQ(checksummed_text(m.account), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
  EXPECT_EQ(m.statement, "Create an API key of Credence.");
  EXPECT_EQ(m.uri, "https://example.com");
  EXPECT_EQ(m.chain_id, 8453u);
  EXPECT_EQ(m.nonce, "0123456789abcdef");
  EXPECT_EQ(m.issued_at.at, issued);
  EXPECT_EQ(m.issued_at.text, "2026-03-01T12:00:00.000Z");
  ASSERT_TRUE(m.expiration_time && m.not_before && m.resources);
  EXPECT_EQ(m.expiration_time->at, issued + 10min);
  EXPECT_EQ(m.not_before->at, issued);
  EXPECT_EQ(m.request_id, "some_id");
  EXPECT_EQ(m.resources->size(), 2u);
  EXPECT_EQ(siwe_text(m), full);
}

TEST(SiweMessage, LeavesOutWhatItMay) {
  for (const auto& text : {
         with("https://example.com wants", "example.com wants"),
         with("Create an API key of Credence.\n", ""),
         with("\nExpiration Time: 2026-03-01T12:10:00.000Z", ""),
         with("\nNot Before: 2026-03-01T12:00:00.000Z", ""),
         with("\nRequest ID: some_id", ""),
         with("Request ID: some_id", "Request ID: "),
         full.substr(0, full.find("\nResources:")),
         full.substr(0, full.find("\n- ")),
         full.substr(0, full.rfind("\n- ")),
         with("Create an API key of Credence.", " URI: ?a=b&c #[x]@!$'()*+,;=-._~ "),
         with("8453", "18446744073709551615"),
         with("8453", "0"),
         with("0123456789abcdef", "aZ012345"),
         with("0123456789abcdef", std::string(128, '7')),
       }) {
    const auto read = parse_siwe_message(text);
    ASSERT_TRUE(read) << text << '\n' << explain(read.why());
    EXPECT_EQ(siwe_text(*read), text) << "one text for one message";
  }
  const auto bare = message(full.substr(0, full.find("\nExpiration")));
  EXPECT_FALSE(bare.expiration_time || bare.not_before || bare.request_id || bare.resources);
}

struct refused_text {
  std::string text;
  std::string_view field;
};

/// Texts that are no messages, and the field that the refusal of each must name.
std::vector<refused_text> refused_texts() {
  const auto crlf = [] {
    std::string out;
    for (const char c : full)
      out += c == '\n' ? "\r\n" : std::string{c};
    return out;
  }();
  return {
    {"", "first line"},
    {"\n" + full, "first line"},
    {" " + full, "scheme"},
    {crlf, "first line"},
    {with(" wants you", " Wants you"), "first line"},
    {with("account:", "account"), "first line"},
    {with("account:", "account: "), "first line"},
    {with("https://", "1https://"), "scheme"},
    {with("https://", "://"), "scheme"},
    {with("https://example.com wants", "https:// wants"), "domain"},
    {with("example.com wants", "example.com/ wants"), "domain"},
    {with("example.com wants", "ex\xD0\xB0mple.com wants"), "domain"},
    {with("example.com wants", "exa mple.com wants"), "domain"},
    {with("example.com wants", "user@ wants"), "domain"},
    {with("example.com wants", "example.com:x wants"), "domain"},
    {with("0x5aAeb", "0x5aaeb"), "address"},
    {with("0x5aAeb", "0X5aAeb"), "address"},
    {with("BeAed\n", "BeAe\n"), "address"},
    {with("BeAed\n", "BeAed \n"), "address"},
    {with("BeAed\n", "BeAed\r\n"), "address"},
    {with("BeAed\n\n", "BeAed\n"), "address"},
    {with("Create", "Cr\xC3\xA9"
                    "ate"),
     "statement"},
    {with("Create", "Create\""), "statement"},
    {with("Create", "Cr%65ate"), "statement"},
    {with("Create", "Create\t"), "statement"},
    {with("Create", "Create\n"), "statement"},
    {with("Credence.\n", "Credence.\r\n"), "statement"},
    {with("Credence.\n\n", "Credence.\n"), "statement"},
    {with("Create an API key of Credence.\n\n", ""), "statement"},
    {with("Credence.\n\n", "Credence.\n\n\n"), "URI"},
    {with("Create an API key of Credence.\n", "\n"), "URI"},
    {with("URI: https://example.com", "URI: example.com"), "URI"},
    {with("URI: ", "URI:"), "URI"},
    {with("URI: ", "uri: "), "URI"},
    {with("URI: ", "URI:  "), "URI"},
    {with("URI: https://example.com\n", ""), "URI"},
    {with("Version: 1", "Version: 2"), "Version"},
    {with("Version: 1", "Version: 01"), "Version"},
    {with("Version: 1", "Version: 1 "), "Version"},
    {with("Version: 1\n", ""), "Version"},
    {with("8453", ""), "Chain ID"},
    {with("8453", "08453"), "Chain ID"},
    {with("8453", "+8453"), "Chain ID"},
    {with("8453", "-1"), "Chain ID"},
    {with("8453", "0x2105"), "Chain ID"},
    {with("8453", "8453.0"), "Chain ID"},
    {with("8453", "18446744073709551616"), "Chain ID"},
    {with("8453", "eip155:8453"), "Chain ID"},
    {with("0123456789abcdef", "1234567"), "Nonce"},
    {with("0123456789abcdef", "1234567_"), "Nonce"},
    {with("0123456789abcdef", std::string(129, '7')), "Nonce"},
    {with("0123456789abcdef", "0123456789abcd\xC3\xA9"), "Nonce"},
    {with("Issued At: 2026-03-01T12:00:00.000Z\n", ""), "Issued At"},
    {with("Issued At: 2026-03-01", "Issued At: 2026-02-29"), "Issued At"},
    {with("Expiration Time: 2026-03-01T", "Expiration Time: 2026-03-01 "), "Expiration Time"},
    {with("12:10:00.000Z", "12:10:00.000"), "Expiration Time"},
    {with("Not Before: 2026", "Not Before: 26"), "Not Before"},
    {with("some_id", "some id"), "Request ID"},
    {with("some_id", "some/id"), "Request ID"},
    {with("some_id", "%zz"), "Request ID"},
    {with("Resources:", "Resources: "), "Resources"},
    {with("- ipfs://", "- "), "Resources"},
    {full + " - https://example.com", "Resources"},
    {full + "\n", "Issued At"},
    {full + "\n\n", "Issued At"},
    {full + "\nRequest ID: again", "Issued At"},
    {full + "\n-", "Issued At"},
    {with("Request ID: some_id", "Request ID: some_id\nRequest ID: some_id"), "Issued At"},
    {full + std::string(1, '\0'), "Resources"},
    {with("Not Before:", "not before:"), "Issued At"},
    {with("Request ID: some_id\n", "Request ID: some_id\n\n"), "Issued At"},
    {full + std::string(siwe_message_bytes_max, 'x'), "message"},
  };
}

TEST(SiweMessage, RefusalsNameTheField) {
  for (const auto& [text, field] : refused_texts()) {
    const auto read = parse_siwe_message(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.why().field, field) << text << '\n' << explain(read.why());
    EXPECT_TRUE(explain(read.why()).starts_with(std::string{field} + " must be ")) << explain(read.why());
  }
}

TEST(SiweMessage, CutShortIsRefusedUnlessItsEndMayBeThere) {
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < full.size(); ++size) {
    const auto read = parse_siwe_message(std::string_view{full}.substr(0, size));
    accepted += read ? 1 : 0;
    EXPECT_FALSE(read && size < full.find("Z\nExpiration")) << size;
    if (read) {
      EXPECT_EQ(siwe_text(*read), full.substr(0, size));
    }
  }
  EXPECT_GT(accepted, 0u);
}

TEST(SiweMessage, OfTheGreatestLengthIsRead) {
  const auto text = with("some_id", std::string(siwe_message_bytes_max - full.size() + 7, 'x'));
  ASSERT_EQ(text.size(), siwe_message_bytes_max);
  EXPECT_TRUE(parse_siwe_message(text));
  EXPECT_FALSE(parse_siwe_message(text + 'x'));
}

siwe_expectation expected() {
  siwe_expectation out;
  out.domains = {"example.com", "localhost:8080"};
  out.origins = {"https://example.com", "http://localhost:8080"};
  return out;
}

TEST(SiweMessage, CountsForItsServiceOnly) {
  using enum siwe_refusal;
  struct row {
    std::string text;
    std::optional<siwe_refusal> why;
  };
  const row rows[] = {
    {full, {}},
    {with("URI: https://example.com", "URI: https://example.com/"), {}},
    {with("https://example.com wants", "example.com wants"), {}},
    {with("https://example.com wants", "localhost:8080 wants"), {}},
    {with("URI: https://example.com", "URI: http://localhost:8080"), {}},
    {with("example.com wants", "example.org wants"), wrong_domain},
    {with("example.com wants", "Example.com wants"), wrong_domain},
    {with("example.com wants", "example.com:443 wants"), wrong_domain},
    {with("example.com wants", "example.com. wants"), wrong_domain},
    {with("example.com wants", "user@example.com wants"), wrong_domain},
    {with("example.com wants", "www.example.com wants"), wrong_domain},
    {with("example.com wants", "ex%61mple.com wants"), wrong_domain},
    {with("example.com wants", "xn--exmple-4nf.com wants"), wrong_domain},
    {with("example.com wants", "localhost wants"), wrong_domain},
    {with("https://example.com wants", "ftp://example.com wants"), wrong_scheme},
    {with("https://example.com wants", "htt://example.com wants"), wrong_scheme},
    {with("URI: https://example.com", "URI: https://example.com//"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com/login"), wrong_uri},
    {with("URI: https://example.com", "URI: http://example.com"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com:443"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com?"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com#"), wrong_uri},
    {with("URI: https://example.com", "URI: HTTPS://example.com"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com.evil.org"), wrong_uri},
    {with("URI: https://example.com", "URI: https://example.com@evil.org"), wrong_uri},
    {with("8453", "1"), wrong_chain},
    {with("8453", "84530"), wrong_chain},
    {with("8453", "845"), wrong_chain},
  };
  for (const auto& [text, why] : rows)
    EXPECT_EQ(check(message(text), expected(), issued), why) << text;
  EXPECT_EQ(check(message(), siwe_expectation{}, issued), wrong_domain) << "nothing is allowed that nobody named";
}

TEST(SiweMessage, CountsInItsTimeOnly) {
  using enum siwe_refusal;
  const auto at = [&](timestamp now, const std::string& text = full) { return check(message(text), expected(), now); };
  const auto without = [](const std::string& name) { // an optional line, left out
    const auto begin = full.find("\n" + name);
    return std::string{full}.erase(begin, full.find('\n', begin + 1) - begin);
  };
  EXPECT_EQ(at(issued), std::nullopt);
  EXPECT_EQ(at(issued + 10min - 1us), std::nullopt);
  EXPECT_EQ(at(issued + 10min), expired) << "the skew lengthens no life";
  EXPECT_EQ(at(issued - 60s), std::nullopt) << "the signer's clock may be ahead";
  EXPECT_EQ(at(issued - 60s - 1us), issued_in_future);
  EXPECT_EQ(at(issued, without("Expiration")), no_expiration);
  EXPECT_EQ(at(issued, with("12:10:00.000Z", "12:10:00.000001Z")), lifetime_too_long);
  EXPECT_EQ(at(issued, with("12:10:00.000Z", "14:10:00+02:00")), std::nullopt) << "the same instant elsewhere";
  EXPECT_EQ(at(issued, with("12:10:00.000Z", "11:59:00Z")), expired) << "expired before it was issued";
  EXPECT_EQ(at(issued, with("Not Before: 2026-03-01T12:00", "Not Before: 2026-03-01T12:01")), std::nullopt);
  EXPECT_EQ(at(issued, with("Not Before: 2026-03-01T12:00", "Not Before: 2026-03-01T12:02")), not_yet_valid);
  EXPECT_EQ(at(issued + 1min, with("Not Before: 2026-03-01T12:00", "Not Before: 2026-03-01T12:02")), std::nullopt);
  EXPECT_EQ(at(issued, without("Not Before")), std::nullopt);
  auto lenient = expected();
  lenient.expiration_required = false;
  EXPECT_EQ(check(message(without("Expiration")), lenient, issued + 24h * 365), std::nullopt);
  auto strict = expected();
  strict.clock_skew = 0s;
  EXPECT_EQ(check(message(), strict, issued - 1us), issued_in_future);
  strict.lifetime_max = 599s;
  EXPECT_EQ(check(message(), strict, issued), lifetime_too_long);
}

TEST(SiweMessage, RefusalsSayWhatWouldBeRight) {
  using enum siwe_refusal;
  EXPECT_EQ(explain(wrong_domain, expected()), "the domain must be example.com or localhost:8080");
  EXPECT_EQ(explain(wrong_uri, expected()), "URI must be https://example.com or http://localhost:8080");
  EXPECT_EQ(explain(wrong_chain, expected()), "Chain ID must be 8453");
  EXPECT_EQ(explain(lifetime_too_long, expected()), "Expiration Time must be within 10 minutes of Issued At");
  for (const auto each : {wrong_scheme, issued_in_future, no_expiration, expired, not_yet_valid})
    EXPECT_NE(explain(each, expected()).find(" must "), std::string::npos);
}

// The public vectors of spruceid/siwe. Its file for EIP-1271 is left out: those accounts are
// contracts, whose signatures only the chain can check; this service takes accounts with a
// key. That their signatures name no such account is what is shown of them.

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
