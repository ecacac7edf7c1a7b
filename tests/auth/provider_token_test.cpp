#include "auth/provider_token.hpp"

#include "auth/digest.hpp"
#include "tests/auth/provider_signer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

class ProviderToken : public testing::Test {
protected:
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
  const auto found = verify(token);
  ASSERT_TRUE(found);
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
  const auto number = verify(one.token(claims(R"("0xabc")", "18446744073709551615")));
  ASSERT_TRUE(number);
  EXPECT_EQ(number->user, "18446744073709551615");
  EXPECT_EQ(verify(one.token(claims(R"("0xabc")", "7")))->user, "7");
}

TEST_F(ProviderToken, HeadersOfAnyOtherKindAreRefused) {
  for (const auto* text : {R"({"alg":"none","typ":"JWT","kid":"$"})",
                           R"({"alg":"None","kid":"$"})",
                           R"({"alg":"HS256","typ":"JWT","kid":"$"})",
                           R"({"alg":"ES384","kid":"$"})",
                           R"({"alg":"ES256K","kid":"$"})",
                           R"({"alg":"es256","kid":"$"})",
                           R"({"alg":"RS256","kid":"$"})",
                           R"({"alg":["ES256"],"kid":"$"})",
                           R"({"kid":"$"})",
                           R"({"alg":"ES256","typ":"jwt","kid":"$"})",
                           R"({"alg":"ES256","typ":"refresh+jwt","kid":"$"})",
                           R"({"alg":"ES256","typ":null,"kid":"$"})",
                           R"({"alg":"ES256","typ":"JWT","x":"$"})",
                           R"({"alg":"ES256","kid":["$"]})",
                           R"({"alg":"ES256","kid":"$/"})",
                           R"({"alg":"ES256","kid":"../$"})",
                           R"({"alg":"ES256","kid":"","x":"$"})",
                           R"({"alg":"ES256","kid":"other","x":"$"})",
                           R"({"alg":"ES256","kid":"$","jku":"https://evil.example/keys"})",
                           R"({"alg":"ES256","kid":"$","x5u":"https://evil.example"})",
                           R"({"alg":"ES256","kid":"$","jwk":{"kty":"EC"}})",
                           R"({"alg":"ES256","kid":"$","x5c":["MIIB"]})",
                           R"({"alg":"ES256","kid":"$","crit":["b64"],"b64":false})",
                           R"({"alg":"ES256","kid":"$","crit":[]})",
                           R"({"alg":"ES256","kid":"$","zip":"DEF"})",
                           R"({"alg":"ES256","alg":"ES256","kid":"$"})",
                           R"({"alg":"none","alg":"ES256","kid":"$"})",
                           R"({"alg":"ES256","kid":"other","kid":"$"})",
                           R"({"alg":"ES256","kid":"$"}x)",
                           R"({"alg":"ES256","kid":"$")",
                           R"(["ES256","$"])"}) {
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
       std::vector<std::string>{text,
                                text + ".",
                                with(one.der(text)),
                                with(std::string(64, '\0')),
                                with(std::string(32, '\0') + one.raw(text).substr(32)),
                                with(one.raw(text).substr(0, 63)),
                                with(one.raw(text) + '\0'),
                                with(one.raw(text) + one.raw(text)),
                                with(two.raw(text)),
                                with(one.raw(text + ".")),
                                with(std::string{reinterpret_cast<const char*>(mac.data()), mac.size()}),
                                good + "=",
                                good + "A",
                                good + ".",
                                good + " ",
                                " " + good,
                                good.substr(0, good.size() - 1),
                                good.substr(1),
                                "",
                                ".",
                                "..",
                                "...",
                                std::string(4097, 'a')})
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

} // namespace
} // namespace credence::auth
