// Access tokens of an identity provider, as they are sent and with its signature over any header
// and claims; its set of keys; and what its claims make of a userkey.
#include "http/outside/identity_provider.hpp"
#include "tests/auth/provider_signer.hpp"
#include "tests/fuzz/claim.hpp"

#include <rapidjson/document.h>

#include <cstdint>

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::auth;

const std::chrono::sys_seconds now{std::chrono::seconds{1790000000}};
const provider_rules rules{"https://id.example", "app", "wallet", std::chrono::seconds{30}};

const test::provider_signer& signer() {
  static const test::provider_signer one{"key-1"};
  return one;
}
const jwk_set& keys() {
  static const jwk_set one{signer().set()};
  return one;
}

/// What a part holds to another reader; nothing for a number that is too large to it.
std::optional<rapidjson::Document> object_in(std::string_view part) {
  std::string json;
  rapidjson::Document out;
  claim(decode_base64url(part, json) && base64url(json) == part, "a part has one encoding only");
  out.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  if (out.GetParseError() == rapidjson::kParseErrorNumberTooBig)
    return std::nullopt;
  claim(!out.HasParseError() && out.IsObject(), "a part of a token that holds is a JSON object");
  return out;
}

std::string_view text_of(const rapidjson::Value& value) {
  return value.IsString() ? std::string_view{value.GetString(), value.GetStringLength()} : std::string_view{};
}

void check_header(const rapidjson::Document& header) {
  claim(header.HasMember("alg") && text_of(header["alg"]) == "ES256", "no other algorithm");
  claim(header.HasMember("kid") && text_of(header["kid"]) == "key-1", "the key that signed");
  claim(header.MemberCount() == (header.HasMember("typ") ? 3u : 2u), "nothing is brought along");
}

void check_claims(const rapidjson::Document& claims, const provider_claims& found) {
  claim(claims.HasMember("iss") && text_of(claims["iss"]) == "https://id.example", "issued by the provider");
  claim(claims.HasMember("aud"), "for somebody");
  bool for_us = text_of(claims["aud"]) == "app";
  if (claims["aud"].IsArray())
    for (const auto& each : claims["aud"].GetArray())
      for_us = for_us || text_of(each) == "app";
  claim(for_us, "for us");
  const auto at = now.time_since_epoch().count();
  claim(claims.HasMember("exp") && claims["exp"].IsInt64() && claims["exp"].GetInt64() + 30 > at, "not expired");
  for (const auto* name : {"nbf", "iat"})
    claim(!claims.HasMember(name) || (claims[name].IsInt64() && claims[name].GetInt64() - 30 <= at),
          "not of the future");
  claim(claims.HasMember("wallet"), "a user is named");
  const auto& user = claims["wallet"];
  claim(user.IsString()   ? found.user == text_of(user)
        : user.IsUint64() ? found.user == std::to_string(user.GetUint64())
                          : user.IsInt64() && found.user == std::to_string(user.GetInt64()),
        "the user is the claim's");
}

/// A token with the provider's signature holds only when its header and claims say what they must.
void check_signed(std::string_view header, std::string_view claims) {
  const auto token = signer().token(std::string{header}, std::string{claims});
  const auto verified = verify_provider_token(rules, keys(), token, now);
  if (!verified)
    return claim(verified.why().detail == bad_token().detail, "every refusal reads the same");
  claim(names_es256(token) && key_id_of(token) == "key-1", "it is read by the provider's rules");
  if (const auto read = object_in(base64url(header)))
    check_header(*read);
  if (const auto read = object_in(base64url(claims)))
    check_claims(*read, *verified);
}

void check_userkeys(std::string_view text) {
  static const auto x = http::userkey_template::parse("service:x.com:{x}").value();
  static const auto profile = http::userkey_template::parse("profileId:{p}").value();
  if (const auto key = x.fill(text))
    claim(key->how == people::lookup_key::form::account && key->text == text, "a claim makes one kind of key");
  if (const auto key = profile.fill(text))
    claim(key->how == people::lookup_key::form::profile && key->number > 0, "a claim makes one kind of key");
  if (const auto made = http::userkey_template::parse(text))
    claim(!made->claim().empty(), "a template has a claim");
}

void check_set(std::string_view text) {
  try {
    const jwk_set set{text};
    claim(set.size() + set.skipped() <= jwk_set::keys_max, "a set is bounded");
    claim(!set.verify("key-1", text, std::string(64, '\1')), "nobody has signed");
  } catch (const jwks_error&) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string header = R"({"alg":"ES256","typ":"JWT","kid":"key-1"})";
  const auto text = fuzz::text_of(data, size);
  claim(!verify_provider_token(rules, keys(), text, now), "nothing holds that was not signed");
  check_signed(header, text);
  const auto mark = text.find('\n'); // header and claims in plain text
  if (mark != std::string_view::npos)
    check_signed(text.substr(0, mark), text.substr(mark + 1));
  check_set(text);
  check_userkeys(text);
  return 0;
}
