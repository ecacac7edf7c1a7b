#include "auth/digest.hpp"
#include "tests/each_of.hpp"
#include "tests/system/hostile_cases.hpp"

#include <chrono>

namespace credence::test {

namespace {

std::string signed_with(const std::string& key, const std::string& header, const std::string& claims) {
  const auto text = auth::base64url(header) + "." + auth::base64url(claims);
  const auto mac = auth::hmac_sha256(key, text);
  return text + "." + auth::base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

const std::string our_header = R"({"alg":"HS256","typ":"JWT"})";

/// Claims that hold, with `from` replaced by `to`.
std::string claims(const std::string& from = "", const std::string& to = "") {
  const auto now =
    std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto at = [&](const char* name, long long seconds) {
    return std::string{",\""} + name + "\":" + std::to_string(now + seconds);
  };
  std::string text =
    R"({"iss":"credence","aud":"credence-api","sub":"1")" + at("iat", 0) + at("nbf", 0) + at("exp", 3600) + "}";
  if (const auto found = text.find(from); !from.empty() && found != std::string::npos) {
    // A name stands for its whole member.
    const auto end = from.front() == ',' ? text.find_first_of(",}", found + 1) : found + from.size();
    text.replace(found, end - found, to);
  }
  return text;
}

std::string from_now(const char* name, long long seconds) {
  const auto now =
    std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return std::string{",\""} + name + "\":" + std::to_string(now + seconds);
}

} // namespace

std::vector<forged_token> forged_tokens(const std::string& key, const std::string& good, const std::string& other) {
  std::vector<forged_token> out;
  const auto fields = [&](const std::string& name, const char* rule, const std::string& lines, int vote = 401,
                          int advance = 401) {
    out.push_back({name, rule, lines, vote, advance});
  };
  const auto token = [&](const std::string& name, const char* rule, const std::string& text) {
    fields(name, rule, "Authorization: Bearer " + text + "\r\n");
  };
  // Signed with the right key, so that nothing but the part at hand can give it away.
  const auto header = [&](const std::string& name, const char* rule, const std::string& text) {
    token(name, rule, signed_with(key, text, claims()));
  };
  const auto claim = [&](const std::string& name, const char* rule, const std::string& from, const std::string& to) {
    token(name, rule, signed_with(key, our_header, claims(from, to)));
  };
  const auto first = good.find('.');
  const auto second = good.rfind('.');
  const auto unsigned_text = [&](const std::string& head) {
    return auth::base64url(head) + "." + auth::base64url(claims()) + ".";
  };

  // These hold: the forgeries below differ from them in one thing.
  fields("a good token", "6750 2.1", "Authorization: Bearer " + good + "\r\n", 200, 403);
  fields("the scheme in lower case", "9110 11.1", "Authorization: bearer " + good + "\r\n", 200, 403);
  fields("the scheme in capitals", "9110 11.1", "Authorization: BEARER  " + good + "\r\n", 200, 403);
  fields("an admin's claims, as the forgeries below have them", "7519 7.2",
         "Authorization: Bearer " + signed_with(key, our_header, claims()) + "\r\n", 200, 200);

  for (const auto* alg : {"none", "None", "NONE", "nOnE", "", "none "}) {
    token("alg <" + std::string{alg} + "> without a signature", "8725 3.1, 3.2",
          unsigned_text(R"({"alg":")" + std::string{alg} + R"(","typ":"JWT"})"));
    token("alg <" + std::string{alg} + "> with one", "8725 3.1, 3.2",
          signed_with(key, R"({"alg":")" + std::string{alg} + R"(","typ":"JWT"})", claims()));
  }
  for (const auto* alg : {"HS384", "HS512", "RS256", "ES256", "PS256", "EdDSA", "hs256", "HS256 ", "A128KW", "dir"})
    header("alg " + std::string{alg}, "8725 2.1, 3.1", R"({"alg":")" + std::string{alg} + R"(","typ":"JWT"})");
  token("HS512 with 64 bytes", "8725 3.1",
        unsigned_text(R"({"alg":"HS512","typ":"JWT"})") + auth::base64url(std::string(64, 'x')));
  token("ES256 with zeros", "8725 3.1",
        unsigned_text(R"({"alg":"ES256","typ":"JWT"})") + auth::base64url(std::string(64, '\0')));
  token("RS256 with 256 bytes", "8725 3.1",
        unsigned_text(R"({"alg":"RS256","typ":"JWT"})") + auth::base64url(std::string(256, 'x')));
  header("no alg", "7515 4.1.1", R"({"typ":"JWT"})");
  header("alg twice", "7515 4", R"({"alg":"none","alg":"HS256","typ":"JWT"})");
  header("alg in a list", "7515 4.1.1", R"({"alg":["HS256"],"typ":"JWT"})");
  header("no typ", "8725 3.11", R"({"alg":"HS256"})");
  header("the typ of something else", "8725 3.11", R"({"alg":"HS256","typ":"at+jwt"})");
  header("the typ of a logout", "8725 3.11", R"({"alg":"HS256","typ":"logout+jwt"})");
  header("crit", "7515 4.1.11", R"({"alg":"HS256","typ":"JWT","crit":["b64"],"b64":false})");
  header("an empty crit", "7515 4.1.11", R"({"alg":"HS256","typ":"JWT","crit":[]})");
  header("kid of a file", "8725 2.8, 3.10", R"({"alg":"HS256","typ":"JWT","kid":"../../../../dev/null"})");
  header("kid of SQL", "8725 3.10", R"({"alg":"HS256","typ":"JWT","kid":"' UNION SELECT 'x"})");
  header("jku", "8725 3.10", R"({"alg":"HS256","typ":"JWT","jku":"http://127.0.0.1/keys"})");
  header("x5u", "8725 3.10", R"({"alg":"HS256","typ":"JWT","x5u":"http://127.0.0.1/key"})");
  header("jwk", "8725 3.10", R"({"alg":"HS256","typ":"JWT","jwk":{"kty":"oct","k":""}})");
  header("zip", "8725 3.6", R"({"alg":"HS256","typ":"JWT","zip":"DEF"})");
  header("cty of a token inside", "7519 5.2", R"({"alg":"HS256","typ":"JWT","cty":"JWT"})");
  header("a header that is no JSON", "7519 7.2", "alg=HS256");
  header("a header that is a list", "7519 7.2", R"(["HS256"])");
  header("a header that is null", "7519 7.2", "null");
  header("a header with bytes behind it", "7519 7.2", our_header + "{}");
  header("a header of no characters", "7519 7.2", "\xff\xfe");
  header("a deep header", "8259 9", std::string(2000, '['));
  token("an empty header", "7519 7.2", good.substr(first));
  token("a token inside a token", "7519 5.2", signed_with(key, our_header, good));

  token("no signature", "7515 5.2", good.substr(0, second + 1));
  token("two parts", "7515 3.1", good.substr(0, second));
  token("one part", "7515 3.1", good.substr(0, first));
  token("four parts", "7515 3.1", good + ".x");
  token("five parts, as when encrypted", "7516 3.1", good + ".x.y");
  token("an extra dot behind", "7515 3.1", good + ".");
  token("an extra dot before", "7515 3.1", "." + good);
  token("dots alone", "7515 3.1", "..");
  token("a signature cut short", "7515 5.2", good.substr(0, good.size() - 1));
  token("a signature cut to half", "7515 5.2", good.substr(0, second + 22));
  token("a signature too long", "7515 5.2", good + "AAAA");
  token("the signature of another token", "7515 5.2", good.substr(0, second) + other.substr(other.rfind('.')));
  token("the payload of another token", "7515 5.2",
        good.substr(0, first) + other.substr(other.find('.'), other.rfind('.') - other.find('.'))
          + good.substr(second));
  token("the payload of an admin", "7515 5.2",
        good.substr(0, first + 1) + auth::base64url(claims()) + good.substr(second));
  token("another key", "8725 3.5", signed_with("another key of thirty-two bytes!", our_header, claims()));
  token("an empty key", "8725 3.5", signed_with("", our_header, claims()));
  token("padding", "7515 2: without it", good + "=");
  token("padding inside", "7515 2", good.substr(0, second) + "=" + good.substr(second));
  token("bits behind the last byte", "4648 3.5", [&] {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    auto text = good;
    text.back() = digits[digits.find(text.back()) ^ 1];
    return text;
  }());
  token("a plus of the other alphabet", "7515 2", good.substr(0, second + 1) + "+" + good.substr(second + 2));
  token("a blank inside", "6750 2.1", good.substr(0, first) + " " + good.substr(first));
  token("a tab before", "6750 2.1", "\t" + good);
  token("a word behind", "6750 2.1", good + " x");
  token("a list of tokens", "6750 2.1", good + "," + good);
  token("quotes around it", "6750 2.1", "\"" + good + "\"");
  token("percent signs for dots", "6750 2.1", good.substr(0, first) + "%2E" + good.substr(first + 1));
  token("high bytes", "6750 2.1", "\xC3\xA9\xFF");
  token("a long token", "7519 11: a bound", good.substr(0, first + 1) + std::string(8000, 'A') + good.substr(second));

  claim("another issuer", "8725 3.8", "\"credence\"", "\"elsewhere\"");
  claim("the issuer in another case", "8725 3.8", "\"credence\"", "\"Credence\"");
  claim("another audience", "8725 3.9", "credence-api", "another-api");
  claim("an audience in a list", "7519 4.1.3: this service signs one", "\"credence-api\"", "[\"credence-api\"]");
  claim("no issuer", "8725 3.8", "\"iss\":\"credence\",", "");
  claim("no audience", "8725 3.9", ",\"aud\"", "");
  claim("no subject", "7519 4.1.2", ",\"sub\"", "");
  claim("no iat", "7519 4.1.6", ",\"iat\"", "");
  claim("no nbf", "7519 4.1.5", ",\"nbf\"", "");
  claim("no exp", "7519 4.1.4", ",\"exp\"", "");
  claim("expired", "7519 4.1.4", ",\"exp\"", from_now("exp", -3600));
  claim("expired a minute ago", "7519 4.1.4", ",\"exp\"", from_now("exp", -60));
  claim("valid later", "7519 4.1.5", ",\"nbf\"", from_now("nbf", 3600));
  claim("made later", "7519 4.1.6", ",\"iat\"", from_now("iat", 3600));
  for (const auto* time : {"\"2999-01-01\"", "1e99", "99999999999999999999", "9223372036854775807", "-1", "null",
                           "true", "[]", "2000000000.5", "\"4102444800\""})
    claim("exp " + std::string{time}, "7519 2, 4.1.4", ",\"exp\"", ",\"exp\":" + std::string{time});
  for (const auto* subject : each_of("\"0\"", "\"-1\"", "\"2147483648\"", "\"99999999999999999999\"", "1", "1.0",
                                     "true", "null", "[]", "{}", "\"\"", "\"01\"", "\"1 \"", "\" 1\"", "\"+1\"",
                                     "\"1.0\"", "\"0x1\"", "\"one\"", "\"1\\u0000\"", "\"\\u0661\""))
    claim("sub " + std::string{subject}, "7519 4.1.2", ",\"sub\"", ",\"sub\":" + std::string{subject});
  claim("sub twice", "7519 4", ",\"sub\"", R"(,"sub":"2","sub":"1")");
  token("claims that are a list", "7519 7.2", signed_with(key, our_header, "[]"));
  token("claims that are null", "7519 7.2", signed_with(key, our_header, "null"));
  token("claims that are nothing", "7519 7.2", signed_with(key, our_header, ""));
  token("claims with bytes behind", "7519 7.2", signed_with(key, our_header, claims() + "x"));

  const auto bearer = "Authorization: Bearer " + good + "\r\n";
  fields("no credential", "9110 11.6.1", "");
  fields("an empty credential", "9110 11.6.2", "Authorization:\r\n");
  fields("the scheme alone", "9110 11.6.2", "Authorization: Bearer\r\n");
  fields("a token without scheme", "9110 11.6.2", "Authorization: " + good + "\r\n");
  fields("the scheme glued on", "9110 11.6.2", "Authorization: Bearer" + good + "\r\n");
  fields("a colon behind the scheme", "9110 11.6.2", "Authorization: Bearer: " + good + "\r\n");
  fields("the scheme twice", "9110 11.6.2", "Authorization: Bearer Bearer " + good + "\r\n");
  fields("Basic", "7617 2", "Authorization: Basic YWRtaW46YWRtaW4=\r\n");
  fields("a token called Basic", "9110 11.6.2", "Authorization: Basic " + good + "\r\n");
  fields("a token called Token", "9110 11.6.2", "Authorization: Token " + good + "\r\n");
  fields("two credentials", "9110 5.3, 11.6.2", bearer + bearer);
  fields("a good credential, then a bad one", "9110 5.3", bearer + "Authorization: Bearer x\r\n");
  fields("a bad credential, then a good one", "9110 5.3", "Authorization: Bearer x\r\n" + bearer);
  fields("a credential for proxies", "9110 11.7.2", "Proxy-Authorization: Bearer " + good + "\r\n");
  fields("a credential in a cookie", "6265 5.4", "Cookie: access_token=" + good + "; token=" + good + "\r\n");
  fields("a key that is none", "spec, authentication", "X-Service-Api-Key: " + good + "\r\n");
  return out;
}

} // namespace credence::test
