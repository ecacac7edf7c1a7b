// Access tokens: as a stranger sends them, and, so that claims are reached at all, with
// the service's own signature put under a stranger's header and claims.
#include "auth/access_token.hpp"
#include "auth/digest.hpp"
#include "config/limits.hpp"
#include "tests/fuzz/claim.hpp"

#include <rapidjson/document.h>

#include <map>
#include <optional>

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::auth;

const std::chrono::sys_seconds now{std::chrono::seconds{1790000000}};

const token_rules& rules() {
  static const token_rules one{secret{"0123456789abcdef0123456789abcdef"}, "credence", "credence-api",
                               std::chrono::seconds{30}};
  return one;
}

struct holder {
  std::int32_t profile;
  bool admin;
};

std::string signed_by_us(std::string_view header_and_claims) {
  const auto mac = hmac_sha256(rules().key.reveal(), header_and_claims);
  return std::string{header_and_claims} + '.' + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

/// As an earlier release signed it: no key is named, and nobody could revoke it, so it is no admin's.
std::string signed_before(const holder& who) {
  const std::string claims = R"({"iss":"credence","aud":"credence-api","sub":")" + std::to_string(who.profile)
                             + R"(","iat":1790000000,"nbf":1790000000,"exp":1790003600)"
                             + (who.admin ? R"(,"admin":true})" : "}");
  return signed_by_us(base64url(R"({"alg":"HS256","typ":"JWT"})") + '.' + base64url(claims));
}

/// The tokens that were ever signed; those of the corpus are among them.
const std::map<std::string, holder, std::less<>>& minted() {
  static const auto all = [] {
    std::map<std::string, holder, std::less<>> out;
    for (const auto each : {holder{1, true}, holder{7, false}, holder{2147483647, false}}) {
      out[signed_before(each)] = {each.profile, false};
      out[mint_access_token(rules(), profile_id{each.profile}, each.admin, now, std::chrono::hours{1})] = each;
    }
    return out;
  }();
  return all;
}

void check_as_sent(std::string_view token) {
  const auto verified = verify_access_token(rules(), token, now);
  const auto known = minted().find(token);
  claim(static_cast<bool>(verified) == (known != minted().end()), "the tokens that hold are those that were signed");
  if (verified)
    claim(verified->profile.value == known->second.profile && verified->admin == known->second.admin,
          "a token speaks for its profile");
  else
    claim(verified.why().detail == bad_token().detail, "every refusal reads the same");
}

/// One member of that name, and it is that text.
bool says(const rapidjson::Document& object, const char* name, std::string_view text) {
  int found = 0;
  bool same = false;
  for (const auto& member : object.GetObject())
    if (std::string_view{member.name.GetString(), member.name.GetStringLength()} == name) {
      ++found;
      same =
        member.value.IsString() && std::string_view{member.value.GetString(), member.value.GetStringLength()} == text;
    }
  return found == 1 && same;
}

/// What a part holds to another reader; nothing when that one finds a number too large,
/// as it does 0e999.
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

/// A token with our signature holds only when its header and claims say what they must.
void check_signed(const std::string& token) {
  const auto verified = verify_access_token(rules(), token, now);
  if (!verified)
    return;
  const auto first = token.find('.');
  const auto header = object_in(std::string_view{token}.substr(0, first));
  const bool names_key = header && header->HasMember("kid");
  claim(header && header->MemberCount() == (names_key ? 3u : 2u) && says(*header, "alg", "HS256")
          && says(*header, "typ", "JWT") && (!names_key || says(*header, "kid", signing_key_id(rules().key))),
        "no other algorithm, no other key");
  const auto read = object_in(std::string_view{token}.substr(first + 1, token.find('.', first + 1) - first - 1));
  if (!read)
    return;
  const auto& claims = *read;
  claim(says(claims, "iss", "credence") && says(claims, "aud", "credence-api"), "issued by us, for us");
  claim(verified->profile.value >= 1 && says(claims, "sub", std::to_string(verified->profile.value)),
        "the subject is the profile, written in one way");
  const auto at = now.time_since_epoch().count();
  for (const auto* name : {"iat", "nbf", "exp"})
    claim(claims.HasMember(name) && claims[name].IsInt64(), "times are whole numbers");
  claim(claims["exp"].GetInt64() + 30 > at, "not expired");
  claim(claims["nbf"].GetInt64() - 30 <= at && claims["iat"].GetInt64() - 30 <= at, "not of the future");
  const bool named_admin = claims.HasMember("admin") && claims["admin"].IsTrue();
  const bool revocable = claims.HasMember("jti") && claims["jti"].IsString() && claims["jti"].GetStringLength() > 0;
  const bool lives_hours = claims["exp"].GetInt64() - claims["iat"].GetInt64() <= 24 * 3600;
  claim(verified->admin == (named_admin && revocable && lives_hours),
        "an admin is named as one, for hours, and can be taken back");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto header = base64url(R"({"alg":"HS256","typ":"JWT"})");
  const auto text = fuzz::text_of(data, size);
  check_as_sent(text);
  check_signed(signed_by_us(text.substr(0, text.rfind('.'))));
  check_signed(signed_by_us(header + '.' + base64url(text)));
  const auto mark = text.find('\n'); // header and claims in plain text
  if (mark != std::string_view::npos)
    check_signed(signed_by_us(base64url(text.substr(0, mark)) + '.' + base64url(text.substr(mark + 1))));
  return 0;
}
