#include "http/callers/token_authenticator.hpp"
#include "http/outside/identity_provider.hpp"
#include "http/outside/provider_keys.hpp"
#include "tests/auth/provider_signer.hpp"
#include "tests/each_of.hpp"
#include "tests/http/outside/key_server.hpp"
#include "tests/there.hpp"
#include "tests/waiting.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using people::lookup_key;
using form = lookup_key::form;
using test::provider_signer;

const std::string wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

// -- whom a claim names ----------------------------------------------------------------------

TEST(UserkeyTemplate, MakesAUserkeyOfAClaim) {
  const auto address = test::there(userkey_template::parse("address:{wallet_address}"));
  EXPECT_EQ(address->claim(), "wallet_address");
  EXPECT_EQ(address->fill(wallet)->how, form::address);
  const auto profile = userkey_template::parse("profileId:{profile_id}");
  EXPECT_EQ(profile->fill("7")->number, 7);
  EXPECT_EQ(userkey_template::parse("service:x.com:{x_id}")->fill("12")->text, "12");
  EXPECT_FALSE(userkey_template::parse("service:x.com:username:{x}")) << "usernames change hands";
  EXPECT_EQ(userkey_template::parse("service:github:{https://claims.example/github}")->fill("octo-cat")->text,
            "octo-cat");
  EXPECT_EQ(userkey_template::parse("address:0x{hex}")->fill(wallet.substr(2))->how, form::address);
}

TEST(UserkeyTemplate, AClaimMakesNoOtherKindOfKey) {
  EXPECT_FALSE(userkey_template::parse("service:x.com:{x}")->fill("username:ada1"));
  EXPECT_FALSE(userkey_template::parse("service:x.com:{x}")->fill("ada1"));
  for (const auto* value : {"", "0", "-1", "7 ", "07x", "profileId:7", "{profile_id}", "99999999999"})
    EXPECT_FALSE(userkey_template::parse("profileId:{p}")->fill(value)) << value;
  for (const auto& value : {wallet + "0", wallet.substr(0, 41), "did:pkh:eip155:1:" + wallet})
    EXPECT_FALSE(userkey_template::parse("address:{a}")->fill(value)) << value;
}

TEST(UserkeyTemplate, NeedsOneClaimInAUserkey) {
  for (const auto* text : {"", "address:", "address:0x00", "{userkey}", "address:{}", "address:{a", "address:a}",
                           "address:}a{", "address:{a}{b}", "address:{{a}}", "wallet:{a}", "service:myspace:{a}",
                           "service:{a}", "{kind}:7", "profileId:x{a}"})
    EXPECT_FALSE(userkey_template::parse(text)) << text;
}

// -- the settings ----------------------------------------------------------------------------

settings::auth with(const std::string& jwks = "https://id.example/keys", const std::string& userkey = "address:{a}") {
  settings::auth out;
  out.provider = {"https://id.example", "app", jwks, userkey};
  return out;
}

TEST(ProviderSettings, AreAllGivenOrNone) {
  EXPECT_TRUE(provider_mistakes({}).empty());
  EXPECT_TRUE(provider_mistakes(with()).empty());
  for (auto member : {&settings::auth_provider::issuer, &settings::auth_provider::audience,
                      &settings::auth_provider::jwks, &settings::auth_provider::userkey}) {
    auto one_missing = with();
    one_missing.provider.*member = "";
    const auto mistakes = test::exactly(1, provider_mistakes(one_missing));
    EXPECT_NE(mistakes[0].find("is empty, but an identity provider needs issuer, audience, jwks and userkey"),
              std::string::npos);
    settings::auth one_given;
    one_given.provider.*member = "x";
    EXPECT_GE(provider_mistakes(one_given).size(), 3u);
  }
  auto same = with();
  same.provider.issuer = same.issuer;
  ASSERT_EQ(provider_mistakes(same).size(), 1u);
  EXPECT_NE(provider_mistakes(same)[0].find("auth.issuer"), std::string::npos);
  EXPECT_NE(provider_mistakes(with("https://a/", "wallet:{a}")).at(0).find("address:{wallet_address}"),
            std::string::npos);
}

TEST(ProviderSettings, KeysComeFromAFileOrByHttps) {
  for (const auto* good :
       {"https://id.example/.well-known/jwks.json", "https://id.example:8443/keys?app=1", "http://127.0.0.1:99/k",
        "http://127.1.2.3/k", "http://localhost/k", "http://[::1]:80/k", "/dev/null"})
    EXPECT_TRUE(provider_mistakes(with(good)).empty()) << good;
  for (const auto* bad : credence::test::each_of(
         "http://id.example/keys", "http://127.0.0.1.evil.example/", "http://127.evil/",
         "http://localhost.evil.example/", "http://127.0.0.1@evil.example/", "https://user:secret@id.example/",
         "https:///keys", "https://", "ftp://id.example/keys", "ftp://x127.0.0.1/", "file:///etc/keys",
         "HTTP://evil.example/", "https://a b/", "https://id.example/#keys", "http://evil.example\\@127.0.0.1/",
         "http://[::2]/", "/no/such/file")) {
    const auto mistakes = provider_mistakes(with(bad));
    ASSERT_EQ(mistakes.size(), 1u) << bad;
    EXPECT_TRUE(mistakes[0].starts_with("auth.provider.jwks is '")) << mistakes[0];
  }
}

// -- bearers -----------------------------------------------------------------------------------

const std::chrono::sys_seconds now{std::chrono::seconds{1790000000}};
const steady_time began{1h};

struct ProviderBearers : testing::Test {
  void SetUp() override {
    test::await("the first attempt to read the keys", [&] { return keys.tried(); });
  }
  std::string token(int user, std::chrono::sys_seconds from = now) const {
    return one.token(R"({"iss":"https://id.example","aud":"app","p":)" + std::to_string(user)
                     + ",\"iat\":" + std::to_string(from.time_since_epoch().count())
                     + ",\"exp\":" + std::to_string((from + 3600s).time_since_epoch().count()) + "}");
  }
  people::found_person person(int profile) const { return {.user = user_id{1}, .profile = profile_id{profile}}; }

  const provider_signer one{"one"};
  provider_keys keys{[this](const std::atomic<bool>&) { return one.set(); }};
  const userkey_template by_profile = userkey_template::parse("profileId:{p}").value();
  const identity_provider provider{{"https://id.example", "app", "p", 30s}, by_profile, &keys};
  provider_bearers bearers{provider, 16};
};

TEST_F(ProviderBearers, AreKnownForAMinuteOnceTheirProfileIsFound) {
  const auto seven = token(7);
  auto found = test::there(bearers.find(seven, now, began));
  EXPECT_FALSE(found->profile);
  EXPECT_FALSE(found->has_no_profile);
  EXPECT_EQ(found->key.number, 7);
  bearers.learn(seven, person(70), began);
  EXPECT_EQ(bearers.find(seven, now, began + 59s)->profile, profile_id{70})
    << "as the key leads, not as the token says";
  EXPECT_FALSE(bearers.find(seven, now + 60s, began + 60s)->profile) << "looked up again";
  bearers.learn(seven, {}, began + 60s);
  EXPECT_TRUE(bearers.find(seven, now, began + 64s)->has_no_profile);
  EXPECT_FALSE(bearers.find(seven, now, began + 65s)->has_no_profile) << "a profile may have been made";
}

TEST_F(ProviderBearers, AreRefusedOnceTheTokenHasExpired) {
  const auto old = token(7, now - 3600s);
  ASSERT_TRUE(bearers.find(old, now + 29s, began));
  bearers.learn(old, person(7), began);
  const auto refused = bearers.find(old, now + 30s, began + 1s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.why().detail, auth::bad_token().detail);
  EXPECT_FALSE(bearers.find(token(0), now, began)) << "the claim makes no userkey";
  EXPECT_FALSE(bearers.find(std::string(5000, 'a'), now, began));
}

TEST_F(ProviderBearers, StayWithinTheirBound) {
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(bearers.find(token(i), now, began));
    EXPECT_LE(bearers.size(), 16u);
  }
  bearers.learn("never seen", person(7), began);
  EXPECT_LE(bearers.size(), 16u);
}

TEST_F(ProviderBearers, AreToldFromOurOwnByTheAlgorithm) {
  const auto real_now = std::chrono::floor<std::chrono::seconds>(system_now());
  const auth::token_rules ours{secret{"0123456789abcdef0123456789abcdef"}, "credence", "credence-api", 30s};
  const auto admins = std::make_shared<const std::set<profile_id>>(std::set<profile_id>{profile_id{1}});
  token_authenticator who{{ours, "crd_", 16, admins, &provider}};
  const auto own = auth::mint_access_token(ours, profile_id{7}, true, real_now, 3600s);
  const auto outside = token(3, real_now);

  const auto by_own = test::there(who.find(credential_kind::access_token, own));
  EXPECT_EQ(by_own->who.profile, profile_id{7});
  EXPECT_TRUE(by_own->who.admin);
  EXPECT_FALSE(by_own->unknown);

  EXPECT_FALSE(who.knows(credential_kind::access_token, outside));
  ASSERT_TRUE(who.find(credential_kind::access_token, outside));
  EXPECT_EQ(who.find(credential_kind::access_token, outside)->unknown->key.number, 3);
  EXPECT_TRUE(who.knows(credential_kind::access_token, outside));
  EXPECT_FALSE(who.learn(outside, {}));
  EXPECT_TRUE(who.find(credential_kind::access_token, outside)->unknown->has_no_profile);
  EXPECT_TRUE(who.learn(outside, person(1))->admin) << "by the settings alone";
  EXPECT_FALSE(who.learn(outside, person(3))->admin);
  const auto known = who.find(credential_kind::access_token, outside);
  EXPECT_FALSE(known->unknown);
  EXPECT_EQ(known->who.profile, profile_id{3});

  EXPECT_FALSE(who.find(credential_kind::session, outside)) << "not as a cookie";
  EXPECT_FALSE(who.find(credential_kind::api_key, "crd_" + outside)) << "not as a key";
  token_authenticator without{{ours, "crd_", 16, admins}};
  EXPECT_FALSE(without.find(credential_kind::access_token, outside)) << "where there is no provider";
  EXPECT_TRUE(without.find(credential_kind::access_token, own));
}

using test::key_server;

// -- when they are read ------------------------------------------------------------------------

TEST(KeySchedule, ReadsAtOnceAndThenNowAndThen) {
  const steady_time start{1h};
  key_schedule plan;
  EXPECT_LE(plan.due(false), start);
  plan.begin(start, false);
  plan.end(start + 1s, true);
  EXPECT_EQ(plan.due(false), start + 1s + 10min);
  plan.begin(start + 11min, false);
  plan.end(start + 11min, false);
  EXPECT_EQ(plan.due(false), start + 11min + 30s) << "sooner after a failure";
}

TEST(KeySchedule, ReadsAtOnceForAKeyThatIsNotThereButOnlySoOften) {
  const steady_time start{1h};
  key_schedule plan;
  plan.begin(start, false);
  plan.end(start, true);
  EXPECT_LE(plan.due(true), start) << "the first time nobody waits";
  plan.begin(start + 1s, true);
  plan.end(start + 2s, true);
  EXPECT_EQ(plan.due(true), start + 31s);
  EXPECT_EQ(plan.due(false), start + 2s + 10min);
  plan.begin(start + 31s, true);
  plan.end(start + 31s, false);
  EXPECT_EQ(plan.due(true), start + 61s);
}

// -- from where --------------------------------------------------------------------------------

const std::atomic<bool> never{false};

class scratch_file {
public:
  scratch_file() : path_(std::filesystem::temp_directory_path() / ("credence-keys-" + std::to_string(::getpid()))) {}
  ~scratch_file() { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream{path_} << text; }
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

TEST(ProviderKeys, AreReadFromAFile) {
  const scratch_file file;
  const auto read = reader_of(file.path());
  EXPECT_THROW(read(never), std::runtime_error) << "not there";
  file.write("one");
  EXPECT_EQ(read(never), "one");
  file.write("");
  EXPECT_EQ(read(never), "");
  file.write(std::string(auth::jwk_set::bytes_max + 10, 'x'));
  EXPECT_THROW(auth::jwk_set{read(never)}, auth::jwks_error);
  EXPECT_THROW(reader_of("/")(never), std::runtime_error);
}

TEST(ProviderKeys, AreReadFromAServerThatAnswersTwoHundred) {
  key_server server{"keys"};
  const auto read = reader_of(server.url());
  EXPECT_EQ(read(never), "keys");
  server.answer(std::string(auth::jwk_set::bytes_max, 'x'));
  EXPECT_EQ(read(never).size(), auth::jwk_set::bytes_max);
  server.answer(std::string(auth::jwk_set::bytes_max + 1, 'x'));
  EXPECT_THROW(read(never), std::runtime_error) << "too large";
  const auto before = server.requests();
  server.answer("elsewhere", "302 Found\r\nLocation: " + server.url());
  EXPECT_THROW(read(never), std::runtime_error);
  EXPECT_EQ(server.requests(), before + 1) << "a redirect is not followed";
  server.answer("keys", "404 Not Found");
  EXPECT_THROW(read(never), std::runtime_error);
  const std::atomic<bool> given_up{true};
  server.answer("keys");
  EXPECT_THROW(read(given_up), std::runtime_error);
}

// -- and again -----------------------------------------------------------------------------------

using test::comes_true;

TEST(ProviderKeys, AreThoseOfTheFileOnceATokenNamesANewOne) {
  const provider_signer one{"one"};
  const provider_signer two{"two"};
  const scratch_file file;
  file.write(one.set());
  provider_keys keys{reader_of(file.path())};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  const auto before = keys.current();
  EXPECT_TRUE(before->holds("one"));
  file.write(two.set());
  EXPECT_FALSE(keys.current()->holds("two")) << "nobody has asked for it";
  keys.refresh();
  EXPECT_TRUE(comes_true([&] { return keys.current()->holds("two"); }));
  EXPECT_FALSE(keys.current()->holds("one"));
  EXPECT_TRUE(before->holds("one")) << "whoever is at work with a set keeps it";
}

TEST(ProviderKeys, StayWhenAReadingFails) {
  const provider_signer one{"one"};
  for (const auto& broken :
       {std::string{"not a set"}, std::string{}, provider_signer::set_of({one.jwk(), one.jwk()})}) {
    std::atomic<int> read{0};
    provider_keys keys{[&](const std::atomic<bool>&) { return read++ == 0 ? one.set() : broken; }};
    ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
    keys.refresh();
    ASSERT_TRUE(comes_true([&] { return read == 2; }));
    EXPECT_TRUE(keys.current()->holds("one"));
  }
}

TEST(ProviderKeys, AreAskedForOnceHoweverManyTokensNameOneThatIsNotThere) {
  std::atomic<int> read{0};
  provider_keys keys{[&](const std::atomic<bool>&) {
    ++read;
    return std::string{R"({"keys":[]})"};
  }};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  keys.refresh();
  ASSERT_TRUE(comes_true([&] { return read == 2; }));
  for (int i = 0; i < 1000; ++i)
    keys.refresh();
  EXPECT_EQ(read, 2);
}

TEST(ProviderKeys, AreNoneWhenTheFirstReadingFails) {
  provider_keys keys{[](const std::atomic<bool>&) -> std::string { throw std::runtime_error("away"); }};
  ASSERT_TRUE(comes_true([&] { return keys.tried(); }));
  EXPECT_EQ(keys.current()->size(), 0u);
}

} // namespace
} // namespace credence::http
