#include "http/api/sessions/sessions.hpp"

#include "tests/auth/siwe_text.hpp"
#include "tests/auth/wallet.hpp"
#include "tests/each_of.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

constexpr timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + 12h;

auth::token_rules rules(const char* key = "0123456789abcdef0123456789abcdef") {
  auth::token_rules out;
  out.key = secret{key};
  out.clock_skew = 30s;
  return out;
}

// -- nonces -----------------------------------------------------------------------------

TEST(SignInNonce, IsGoodForTenMinutes) {
  const auto nonce = make_nonce(rules(), nonce_for::sign_in, noon);
  struct row {
    std::chrono::seconds later;
    bool good;
  };
  for (const auto& [later, good] : std::vector<row>{{0s, true},
                                                    {1s, true},
                                                    {599s, true},
                                                    {600s, false},
                                                    {24h, false},
                                                    {-30s, true}, // two clocks, one a little behind
                                                    {-31s, false},
                                                    {-24h, false}})
    EXPECT_EQ(good_nonce(rules(), nonce_for::sign_in, nonce, noon + later), good) << later.count();
}

TEST(SignInNonce, IsKnownHoweverOldAndAfterTheKeyWasReplaced) {
  auto after = rules("another key of thirty-two bytes!");
  const auto nonce = make_nonce(rules(), nonce_for::sign_in, noon - 24h);
  EXPECT_TRUE(is_own_nonce(rules(), nonce));
  EXPECT_FALSE(is_own_nonce(after, nonce));
  after.older = {rules().key};
  EXPECT_TRUE(is_own_nonce(after, nonce));
  EXPECT_TRUE(good_nonce(after, nonce_for::sign_in, make_nonce(rules(), nonce_for::sign_in, noon), noon));
  EXPECT_FALSE(is_own_nonce(rules(), "0123456789abcdef0123456789abcdef"));
}

TEST(SignInNonce, IsLettersAndDigitsAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i)
    seen.insert(make_nonce(rules(), nonce_for::sign_in, noon));
  EXPECT_EQ(seen.size(), 1000u);
  for (const auto& each : seen) {
    EXPECT_GE(each.size(), auth::siwe_nonce_length_min);
    EXPECT_LE(each.size(), auth::siwe_nonce_length_max);
    EXPECT_EQ(each.find_first_not_of("0123456789abcdef"), std::string::npos) << each;
  }
}

TEST(SignInNonce, NobodyElseCanMakeOne) {
  const auto good = make_nonce(rules(), nonce_for::sign_in, noon);
  EXPECT_FALSE(good_nonce(rules("another key of thirty-two bytes!"), nonce_for::sign_in, good, noon))
    << "of another service";
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto forged = good;
    forged[i] = forged[i] == '0' ? '1' : '0';
    EXPECT_FALSE(good_nonce(rules(), nonce_for::sign_in, forged, noon)) << i;
  }
  auto upper = good;
  for (auto& c : upper)
    c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
  EXPECT_TRUE(upper == good || !good_nonce(rules(), nonce_for::sign_in, upper, noon)) << "one text for one nonce";
  for (const auto& other :
       {std::string{}, std::string{"0"}, good.substr(1), good + "0", "0" + good, good + good,
        good.substr(0, good.size() - 1), std::string(good.size(), '0'), std::string(good.size(), '-')})
    EXPECT_FALSE(good_nonce(rules(), nonce_for::sign_in, other, noon)) << other;
}

TEST(SignInNonce, CountsForItsPurposeAndListenerAlone) {
  constexpr std::array all{nonce_for::sign_in, nonce_for::console, nonce_for::wallet_export};
  for (const auto made : all) {
    const auto nonce = make_nonce(rules(), made, noon);
    EXPECT_TRUE(is_own_nonce(rules(), nonce));
    for (const auto wanted : all)
      EXPECT_EQ(good_nonce(rules(), wanted, nonce, noon), wanted == made);
  }
}

// -- what is signed for -----------------------------------------------------------------

TEST(Statements, OfAKeySayThatOneIsMade) {
  for (const auto* good : {"Create an API key.", "Create API key", "Make an API key.", "make a new KEY",
                           "Generate a key for the bot (of mine).", "I request an API key: it's for me!", "New key",
                           "Sign in to create an API key.", "Creating API keys for the bot", "Register an apikey"})
    EXPECT_TRUE(speaks_of_a_key(good)) << good;
  EXPECT_TRUE(speaks_of_a_key(key_statement("a bot", "2027-01-31T12:00:00Z")));
  for (const auto* other : credence::test::each_of(
         "", "Read the news.", "Key", "Create a monkey.", "Create a keyboard.", "Sign in.",
         "Sign in to the page of a game.", "Link this address to profile 1.",
         "Link this address to profile 1. Create an API key.", "Export the key of the managed wallet of profile 1.",
         "Export the key of a new wallet.", "Create a profile.", "Press any key to request a new game",
         "I do not create a key.", "Create no API key", "Don't make a key", "Prove you hold this key; new session",
         "Make a move with the arrow keys", "Create an account with this key"))
    EXPECT_FALSE(speaks_of_a_key(other)) << other;
  for (const auto& other :
       {std::string{sign_in_statement}, std::string{console_statement}, std::string{profile_statement},
        link_statement(profile_id{7}), export_statement(profile_id{7})})
    EXPECT_FALSE(speaks_of_a_key(other)) << other;
}

// -- messages ---------------------------------------------------------------------------

auth::siwe_expectation expected() {
  auth::siwe_expectation out;
  out.domains = {"api.example"};
  out.origins = {"https://api.example"};
  return out;
}

std::string message(const std::string& expires = "2026-03-10T12:10:00Z") {
  auth::siwe_message out;
  out.domain = "api.example";
  out.account = auth::wallet{"alice"}.account();
  out.uri = "https://api.example";
  out.chain_id = 8453;
  out.nonce = "0123456789abcdef";
  out.issued_at = {noon, "2026-03-10T12:00:00Z"};
  out.expiration_time = auth::siwe_time{noon + 10min, expires};
  return auth::siwe_text(out);
}

TEST(SignInMessage, BecomesAClaimThatNobodyHasProvenYet) {
  const auto claim = read_claim(message(), "0x12", expected(), noon);
  ASSERT_TRUE(claim) << claim.why().detail;
  EXPECT_EQ(claim->account, auth::wallet{"alice"}.account());
  EXPECT_EQ(claim->nonce.nonce, "0123456789abcdef");
  EXPECT_EQ(claim->nonce.signer, claim->account);
  EXPECT_EQ(claim->nonce.expires_at, noon + 10min);
  EXPECT_EQ(claim->message, message());
  EXPECT_EQ(claim->signature, "0x12") << "looked at later, where that costs nobody else anything";
}

TEST(SignInMessage, OneThatIsOverIsToldApartFromOneThatIsWrong) {
  const auto over = read_claim(message(), "0x", expected(), noon + 10min);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.why().code, refusal_code::message_expired);
  for (const auto& text : {std::string{}, std::string{"hello"}, message() + "\n", message("2026-03-10T12:10:01Z")}) {
    const auto wrong = read_claim(text, "0x", expected(), noon);
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.why().code, refusal_code::invalid_message);
    EXPECT_FALSE(wrong.why().detail.empty());
  }
  auto elsewhere = expected();
  elsewhere.domains = {"other.example"};
  const auto wrong = read_claim(message(), "0x", elsewhere, noon + 10min);
  EXPECT_EQ(wrong.why().code, refusal_code::invalid_message) << "what is wrong comes before what is over";
}

TEST(SignInMessage, ARefusedSignatureNamesTheAddressWithItsChecksum) {
  address account;
  for (auto& each : account.bytes)
    each = std::byte{0xAA};
  const auto why = not_signed_by(account);
  EXPECT_EQ(why.code, refusal_code::invalid_signature);
  EXPECT_NE(why.detail.find("0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa"), std::string::npos) << why.detail;
}

} // namespace
} // namespace credence::http
