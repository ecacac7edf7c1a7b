#include "auth/provider_token.hpp"
#include "tests/auth/provider_signer.hpp"
#include "tests/each_of.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>

namespace credence::auth {
namespace {

using namespace std::chrono_literals;
using test::provider_signer;

const std::chrono::sys_seconds now{std::chrono::seconds{1790000000}};
const provider_rules rules{"https://id.example", "app", "wallet", 30s};

/// Claims that hold, with `from` replaced by `to`.
std::string claims(const std::string& from = "", const std::string& to = "") {
  std::string text =
    R"({"iss":"https://id.example","aud":"app","sub":"did:x:1","wallet":"0xabc","iat":1790000000,"nbf":1790000000,"exp":1790003600})";
  if (!from.empty())
    text.replace(text.find(from), from.size(), to);
  return text;
}

struct ProviderToken : testing::Test {
  outcome<provider_claims> verify(const std::string& token, std::chrono::sys_seconds at = now) const {
    return verify_provider_token(rules, keys, token, at);
  }
  bool holds(const std::string& header, const std::string& body) const { return bool(verify(one.token(header, body))); }
  bool claims_hold(const std::string& from, const std::string& to) const {
    return bool(verify(one.token(claims(from, to))));
  }
  std::string header(const std::string& text) const { // `$` stands for the key's id
    auto out = text;
    out.replace(out.find('$'), 1, one.id());
    return out;
  }

  const provider_signer one{"key-1"};
  const provider_signer two{"key-2"};
  const jwk_set keys{provider_signer::set_of({one.jwk(), two.jwk()})};
};

TEST_F(ProviderToken, IsAcceptedFromItsTimeUntilItExpires) {
  const auto token = one.token(claims());
  const auto found = test::there(verify(token));
  EXPECT_EQ(found->user, "0xabc");
  EXPECT_EQ(found->expires_at, now + 3630s);
  EXPECT_TRUE(verify(token, now + 3629s));
  EXPECT_FALSE(verify(token, now + 3630s));
  EXPECT_TRUE(verify(token, now - 30s));
  EXPECT_FALSE(verify(token, now - 31s));
  EXPECT_TRUE(verify(two.token(claims())));
  EXPECT_TRUE(names_es256(token));
  EXPECT_EQ(key_id_of(token), "key-1");
}

TEST_F(ProviderToken, TakesTheFormsThatTheStandardLeavesOpen) {
  EXPECT_TRUE(holds(header(R"({"alg":"ES256","kid":"$"})"), claims()));
  EXPECT_TRUE(holds(header(R"({"kid":"$","typ":"at+jwt","alg":"ES256"})"), claims()));
  EXPECT_TRUE(claims_hold(R"("aud":"app")", R"("aud":["other","app"])"));
  EXPECT_TRUE(claims_hold(R"("iat":1790000000,"nbf":1790000000,)", ""));
  const auto number = test::there(verify(one.token(claims(R"("0xabc")", "18446744073709551615"))));
  EXPECT_EQ(number->user, "18446744073709551615");
  EXPECT_EQ(verify(one.token(claims(R"("0xabc")", "7")))->user, "7");
}

TEST_F(ProviderToken, HeadersOfAnyOtherKindAreRefused) {
  for (const auto* text : test::each_of(
         R"({"alg":"none","typ":"JWT","kid":"$"})", R"({"alg":"None","kid":"$"})",
         R"({"alg":"HS256","typ":"JWT","kid":"$"})", R"({"alg":"ES384","kid":"$"})", R"({"alg":"ES256K","kid":"$"})",
         R"({"alg":"es256","kid":"$"})", R"({"alg":"RS256","kid":"$"})", R"({"alg":["ES256"],"kid":"$"})",
         R"({"kid":"$"})", R"({"alg":"ES256","typ":"jwt","kid":"$"})",
         R"({"alg":"ES256","typ":"refresh+jwt","kid":"$"})", R"({"alg":"ES256","typ":null,"kid":"$"})",
         R"({"alg":"ES256","typ":"JWT","x":"$"})", R"({"alg":"ES256","kid":["$"]})", R"({"alg":"ES256","kid":"$/"})",
         R"({"alg":"ES256","kid":"../$"})", R"({"alg":"ES256","kid":"","x":"$"})",
         R"({"alg":"ES256","kid":"other","x":"$"})", R"({"alg":"ES256","kid":"$","jku":"https://evil.example/keys"})",
         R"({"alg":"ES256","kid":"$","x5u":"https://evil.example"})", R"({"alg":"ES256","kid":"$","jwk":{"kty":"EC"}})",
         R"({"alg":"ES256","kid":"$","x5c":["MIIB"]})", R"({"alg":"ES256","kid":"$","crit":["b64"],"b64":false})",
         R"({"alg":"ES256","kid":"$","crit":[]})", R"({"alg":"ES256","kid":"$","zip":"DEF"})",
         R"({"alg":"ES256","alg":"ES256","kid":"$"})", R"({"alg":"none","alg":"ES256","kid":"$"})",
         R"({"alg":"ES256","kid":"other","kid":"$"})", R"({"alg":"ES256","kid":"$"}x)", R"({"alg":"ES256","kid":"$")",
         R"(["ES256","$"])")) {
    const auto answer = verify(one.token(header(text), claims()));
    ASSERT_FALSE(answer) << text;
    EXPECT_EQ(answer.why().detail, bad_token().detail);
  }
}

TEST_F(ProviderToken, AKeyBroughtAlongIsNeverUsed) {
  const provider_signer stranger{"key-1"};
  const std::string head = R"({"alg":"ES256","kid":"key-1")";
  EXPECT_FALSE(verify(stranger.token(head + "}", claims())));
  EXPECT_FALSE(verify(stranger.token(head + ",\"jwk\":" + stranger.jwk() + "}", claims())));
  EXPECT_FALSE(verify(stranger.token(R"({"alg":"ES256","kid":"new"})", claims())));
  EXPECT_FALSE(verify(stranger.token(R"({"alg":"ES256","jwk":)" + stranger.jwk() + "}", claims())));
  EXPECT_EQ(key_id_of(stranger.token(R"({"alg":"ES256","kid":"new"})", claims())), "new");
  EXPECT_FALSE(verify(one.token(R"({"alg":"ES256","kid":"key-2"})", claims()))) << "the key of the other id";
}

TEST_F(ProviderToken, SignaturesOfAnyOtherKindAreRefused) {
  const auto good = one.token(claims());
  const auto text = good.substr(0, good.rfind('.'));
  const auto with = [&](const std::string& signature) { return text + "." + base64url(signature); };
  EXPECT_TRUE(verify(with(one.raw(text))));
  const auto mac = hmac_sha256(one.jwk(), text);
  for (const auto& bad :
       test::texts(text, text + ".", with(one.der(text)), with(std::string(64, '\0')),
                   with(std::string(32, '\0') + one.raw(text).substr(32)), with(one.raw(text).substr(0, 63)),
                   with(one.raw(text) + '\0'), with(one.raw(text) + one.raw(text)), with(two.raw(text)),
                   with(one.raw(text + ".")), with(std::string{reinterpret_cast<const char*>(mac.data()), mac.size()}),
                   good + "=", good + "A", good + ".", good + " ", " " + good, good.substr(0, good.size() - 1),
                   good.substr(1), "", ".", "..", "...", std::string(4097, 'a')))
    EXPECT_FALSE(verify(bad)) << bad;
  auto last = good; // a bit that means nothing: 64 bytes leave four of them
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  last.back() = alphabet[alphabet.find(last.back()) ^ 1];
  EXPECT_FALSE(verify(last)) << "one text for one signature";
}

TEST_F(ProviderToken, ThePublicKeyIsNoSecret) {
  for (const auto& secret : {one.jwk(), one.set(), one.x(), one.x() + one.y()}) {
    const auto text = base64url(header(R"({"alg":"HS256","typ":"JWT","kid":"$"})")) + "." + base64url(claims());
    const auto mac = hmac_sha256(secret, text);
    const auto token = text + "." + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
    EXPECT_FALSE(verify(token));
    EXPECT_FALSE(names_es256(token));
  }
}

/// What of good claims is replaced, and with what.
const std::vector<std::pair<std::string, std::string>> claims_that_do_not_fit{
  {"https://id.example", "https://id.example/"},
  {"https://id.example", "credence"},
  {R"("iss":"https://id.example",)", ""},
  {R"("iss":"https://id.example")", R"("iss":["https://id.example"])"},
  {R"("aud":"app")", R"("aud":"other")"},
  {R"("aud":"app",)", ""},
  {R"("aud":"app")", R"("aud":[])"},
  {R"("aud":"app")", R"("aud":["other"])"},
  {R"("aud":"app")", R"("aud":["app",7])"},
  {R"("aud":"app")", R"("aud":[["app"]])"},
  {R"("aud":"app")", R"("aud":"App")"},
  {R"("aud":"app")", R"("aud":"app","aud":"other")"},
  {"1790003600", "1789999000"},
  {R"(,"exp":1790003600)", ""},
  {"1790003600", "\"1790003600\""},
  {"1790003600", "1790003600.5"},
  {"1790003600", "9223372036854775807"},
  {"1790003600", "-1"},
  {"1790003600", "null"},
  {"1790003600", "1e99"},
  {"\"nbf\":1790000000", "\"nbf\":1790000031"},
  {"\"iat\":1790000000", "\"iat\":1790000031"},
  {"\"nbf\":1790000000", "\"nbf\":\"0\""},
  {"\"iat\":1790000000", "\"iat\":null"},
  {R"("exp":1790003600)", R"("exp":1790003600,"exp":1790009999)"},
  {R"("wallet":"0xabc",)", ""},
  {R"("0xabc")", R"("")"},
  {R"("0xabc")", "true"},
  {R"("0xabc")", "7.5"},
  {R"("0xabc")", "null"},
  {R"("0xabc")", R"(["0xabc"])"},
  {R"("0xabc")", R"({"a":"0xabc"})"},
  {R"("0xabc")", R"("0xabc\u0000")"},
  {R"("0xabc")", R"("0xabc\n")"},
  {R"("0xabc")", "\"" + std::string(257, 'a') + "\""},
  {R"("wallet":"0xabc")", R"("wallet":"0xabc","wallet":"0xdef")"},
  {R"("wallet":"0xabc")", R"("wallet":"0xabc","\u0077allet":"0xdef")"},
};

TEST_F(ProviderToken, ClaimsThatDoNotFitAreRefused) {
  for (const auto& [from, to] : claims_that_do_not_fit) {
    const auto answer = verify(one.token(claims(from, to)));
    ASSERT_FALSE(answer) << to;
    EXPECT_EQ(answer.why().code, refusal_code::unauthenticated);
    EXPECT_EQ(answer.why().detail, bad_token().detail) << "a refusal must not say what was wrong";
  }
  for (const auto* text : {"", "[]", "null", "{}"})
    EXPECT_FALSE(verify(one.token(text)));
  EXPECT_FALSE(verify(one.token(claims() + "{}")));
}

TEST_F(ProviderToken, EveryPrefixAndEveryChangedCharacterIsRefused) {
  const auto good = one.token(claims());
  for (std::size_t i = 0; i < good.size(); i += 3)
    EXPECT_FALSE(verify(good.substr(0, i))) << i;
  for (std::size_t i = 0; i < good.size(); i += 7) {
    auto changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verify(changed)) << i;
  }
}

TEST_F(ProviderToken, NeitherIssuerTakesTheOthersTokens) {
  const token_rules ours{secret{"0123456789abcdef0123456789abcdef"}, "https://id.example", "app", 30s};
  const auto own = mint_access_token(ours, profile_id{7}, false, now, 3600s);
  EXPECT_FALSE(names_es256(own));
  EXPECT_FALSE(verify(own)) << "even with one issuer and audience for both";
  EXPECT_FALSE(verify_access_token(ours, one.token(claims()), now));
  // Our key signs for nobody else, whatever the header says.
  const auto text = base64url(one.header()) + "." + base64url(claims());
  const auto mac = hmac_sha256(ours.key.reveal(), text);
  const auto forged = text + "." + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
  EXPECT_TRUE(names_es256(forged));
  EXPECT_FALSE(verify(forged));
  EXPECT_FALSE(verify_access_token(ours, forged, now));
}

TEST_F(ProviderToken, IsRefusedWithTheKeyThatIsGone) {
  EXPECT_TRUE(verify(one.token(claims())));
  EXPECT_FALSE(verify_provider_token(rules, jwk_set{two.set()}, one.token(claims()), now));
  EXPECT_FALSE(verify_provider_token(rules, jwk_set{}, one.token(claims()), now));
}

/// What the set makes of one key: whether it is usable.
bool usable(const std::string& key) {
  const jwk_set set{provider_signer::set_of({key})};
  EXPECT_EQ(set.size() + set.skipped(), 1u);
  return set.size() == 1;
}

std::string key_with(const std::string& x, const std::string& y, const std::string& more = "") {
  return R"({"kty":"EC","crv":"P-256","kid":"k","x":")" + x + R"(","y":")" + y + "\"" + more + "}";
}

TEST(Jwks, TakesTheKeyOfTheStandardAndItsSignature) { // RFC 7515, A.3
  const jwk_set set{R"({"keys":[{"kty":"EC","crv":"P-256","kid":"a3","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})"};
  const std::string text =
    "eyJhbGciOiJFUzI1NiJ9."
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  std::string signature;
  ASSERT_TRUE(decode_base64url("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
                               signature));
  EXPECT_TRUE(set.verify("a3", text, signature));
  EXPECT_FALSE(set.verify("a3", text + "x", signature));
  EXPECT_FALSE(set.verify("other", text, signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(set.verify("a3", text, changed)) << i;
  }
}

TEST(Jwks, LeavesOutKeysThatAreNotForUs) {
  const provider_signer good{"k"};
  const provider_signer other{"k", "P-384"};
  EXPECT_TRUE(usable(good.jwk()));
  EXPECT_TRUE(usable(good.jwk("")));
  EXPECT_TRUE(usable(good.jwk(R"(,"key_ops":["sign","verify"],"x5t":"abc","nbf":1)")));
  for (const auto* more : {R"(,"use":"enc")", R"(,"use":7)", R"(,"alg":"ES384")", R"(,"alg":"HS256")", R"(,"alg":null)",
                           R"(,"key_ops":["sign"])", R"(,"key_ops":[])", R"(,"key_ops":"verify")", R"(,"d":"AAAA")"})
    EXPECT_FALSE(usable(good.jwk(more))) << more;
  EXPECT_FALSE(usable(R"({"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB"})"));
  EXPECT_FALSE(usable(R"({"kty":"oct","kid":"k","k":"c2VjcmV0"})"));
  EXPECT_FALSE(usable(R"({"kty":"EC","crv":"P-384","kid":"k","x":")" + other.x() + R"(","y":")" + other.y() + "\"}"));
  EXPECT_FALSE(usable(key_with(other.x(), other.y()))) << "another curve under this one's name";
  EXPECT_FALSE(usable(R"({"kty":"EC","crv":"secp256k1","kid":"k","x":")" + good.x() + R"(","y":")" + good.y() + "\"}"));
  EXPECT_FALSE(usable(R"({"kty":"EC","crv":"P-256","x":")" + good.x() + R"(","y":")" + good.y() + "\"}"))
    << "without an id";
  EXPECT_FALSE(usable(provider_signer{""}.jwk()));
  EXPECT_FALSE(usable(provider_signer{std::string(257, 'k')}.jwk()));
  EXPECT_FALSE(usable("{}"));
}

TEST(Jwks, LeavesOutPointsThatAreNotOnTheCurve) {
  const provider_signer good{"k"};
  const auto zero = base64url(std::string(32, '\0'));
  for (const auto& [x, y] : std::vector<std::pair<std::string, std::string>>{
         {good.y(), good.x()},
         {good.x(), good.x()},
         {zero, zero},
         {good.x(), zero},
         {base64url(std::string(32, '\xff')), base64url(std::string(32, '\xff'))},
         {"", ""},
         {good.x() + "A", good.y()},
         {good.x() + "=", good.y()},
         {base64url(std::string(31, '\1')), good.y()},
         {base64url(std::string(33, '\0')), good.y()}})
    EXPECT_FALSE(usable(key_with(x, y))) << x << " " << y;
  EXPECT_FALSE(usable(R"({"kty":"EC","crv":"P-256","kid":"k","x":1,"y":2})"));
}

TEST(Jwks, ASetMayHoldNothingUsable) {
  EXPECT_EQ(jwk_set{R"({"keys":[]})"}.size(), 0u);
  EXPECT_FALSE(jwk_set{}.verify("k", "text", std::string(64, 'a')));
}

TEST(Jwks, RefusesWhatIsNoSet) {
  const provider_signer good{"k"};
  for (const auto& text : std::vector<std::string>{
         "", "null", "[]", "{}", "keys", R"({"keys":{}})", R"({"keys":null})", R"({"keys":["k"]})",
         R"({"keys":[null]})", good.jwk(), good.set() + "x", good.set().substr(0, 60), R"({"keys":[],"keys":[]})",
         provider_signer::set_of({good.jwk(), good.jwk()}),
         provider_signer::set_of({good.jwk(R"(,"use":"sig","use":"enc")")}),
         provider_signer::set_of({good.jwk(",\"more\":\"" + std::string(jwk_set::bytes_max, 'x') + "\"")}),
         provider_signer::set_of(std::vector<std::string>(jwk_set::keys_max + 1, "{}"))})
    EXPECT_THROW(jwk_set{text}, jwks_error) << text.substr(0, 200);
}

TEST(Jwks, VerifiesNothingButSixtyFourBytesOfASignature) {
  const provider_signer one{"k"};
  const jwk_set set{one.set()};
  const std::string text = "text";
  const auto good = one.raw(text);
  EXPECT_TRUE(set.verify("k", text, good));
  const auto order =
    std::string{"\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xBC\xE6\xFA\xAD\xA7\x17\x9E\x84"
                "\xF3\xB9\xCA\xC2\xFC\x63\x25\x51",
                32};
  const std::string zero(32, '\0');
  const std::string most(32, '\xFF');
  const auto r = good.substr(0, 32);
  const auto s = good.substr(32);
  for (const auto& bad :
       {std::string{}, zero + zero, zero + s, r + zero, order + s, r + order, order + order, most + s, r + most, s + r,
        good.substr(1), good.substr(0, 63), good + '\0', '\0' + good, one.der(text), provider_signer{"k"}.raw(text)})
    EXPECT_FALSE(set.verify("k", text, bad));
}

} // namespace
} // namespace credence::auth
