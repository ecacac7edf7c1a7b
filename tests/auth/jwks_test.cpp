#include "auth/provider_token.hpp"

#include "auth/digest.hpp"
#include "tests/auth/provider_signer.hpp"

#include <gtest/gtest.h>

namespace credence::auth {
namespace {

using test::provider_signer;

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
