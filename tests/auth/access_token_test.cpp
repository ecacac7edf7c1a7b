#include "auth/access_token.hpp"
#include "auth/token_cache.hpp"
#include "auth/token_key.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/auth/vectors.hpp"
#include "tests/each_of.hpp"
#include "tests/scratch_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace credence::auth {
namespace {

using namespace std::chrono_literals;

const std::chrono::sys_seconds now{std::chrono::seconds{1790000000}};

token_rules rules() { return {secret{"0123456789abcdef0123456789abcdef"}, "credence", "credence-api", 30s}; }

std::string signed_with(const std::string& header, const std::string& claims,
                        const std::string& key = "0123456789abcdef0123456789abcdef") {
  auto token = base64url(header) + "." + base64url(claims);
  const auto mac = hmac_sha256(key, token);
  return token + "." + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

std::string claims(const std::string& replaced = "", const std::string& with = "") {
  std::string text =
    R"({"iss":"credence","aud":"credence-api","sub":"7","iat":1790000000,"nbf":1790000000,"exp":1790003600})";
  if (!replaced.empty())
    text.replace(text.find(replaced), replaced.size(), with);
  return text;
}

const std::string good_header = R"({"alg":"HS256","typ":"JWT"})";

TEST(AccessToken, IsAcceptedUntilItExpires) {
  const auto token = mint_access_token(rules(), profile_id{7}, false, now, 3600s);
  const auto who = verify_access_token(rules(), token, now + 3600s);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->profile, profile_id{7});
  EXPECT_FALSE(who->admin);
  EXPECT_FALSE(verify_access_token(rules(), token, now + 3631s));
  EXPECT_FALSE(verify_access_token(rules(), token, now - 31s)) << "not before it is valid";
  EXPECT_TRUE(verify_access_token(rules(), mint_access_token(rules(), profile_id{1}, true, now, 60s), now)->admin);
  ASSERT_TRUE(verify_access_token(rules(), signed_with(good_header, claims()), now))
    << "the forgeries below differ in one thing";
}

TEST(AccessToken, WhatAnOlderKeySignedHoldsAsLongAsThatKeyIsThere) {
  const auto before = rules();
  auto after = before;
  after.key = secret{"another key of thirty-two bytes!"};
  const auto token = mint_access_token(before, profile_id{7}, false, now, 3600s);
  EXPECT_FALSE(verify_access_token(after, token, now));
  after.older = {before.key};
  EXPECT_TRUE(verify_access_token(after, token, now));
  EXPECT_TRUE(verify_access_token(after, signed_with(good_header, claims()), now))
    << "of an earlier release, which named no key";
  EXPECT_FALSE(verify_access_token(before, mint_access_token(after, profile_id{7}, false, now, 3600s), now));
  const auto named = [&](const secret& key) {
    return R"({"alg":"HS256","typ":"JWT","kid":")" + signing_key_id(key) + "\"}";
  };
  EXPECT_TRUE(verify_access_token(after, signed_with(named(before.key), claims()), now));
  EXPECT_FALSE(verify_access_token(after, signed_with(named(after.key), claims()), now))
    << "it was another one that signed";
}

TEST(AccessToken, AnAdminsLivesADayAtMostAndHasAnId) {
  const auto token = verify_access_token(rules(), mint_access_token(rules(), profile_id{7}, true, now, 720h), now);
  ASSERT_TRUE(token);
  EXPECT_TRUE(token->admin);
  EXPECT_FALSE(token->id.empty());
  EXPECT_LE(token->expires_at, now + admin_token_lifetime_max + 30s);
  const auto with = [&](const std::string& more) {
    return verify_access_token(rules(), signed_with(good_header, claims("}", more + "}")), now)->admin;
  };
  EXPECT_TRUE(with(R"(,"jti":"an-id","admin":true)"));
  EXPECT_FALSE(with(R"(,"admin":true)")) << "nobody could take it back";
  EXPECT_FALSE(verify_access_token(
                 rules(),
                 signed_with(good_header, claims("\"exp\":1790003600}", R"("exp":1790086401,"jti":"x","admin":true})")),
                 now)
                 ->admin);
}

/// One of each sort; what else is forged: `Hostile.TokensThatAreForged` (tests/system/hostile_token_cases.cpp).
TEST(AccessToken, ForgeriesAreRefusedAndReadTheSame) {
  const auto good = mint_access_token(rules(), profile_id{7}, false, now, 3600s);
  for (const auto& each :
       test::texts("", ".", "..", "a.b.c", good.substr(1), good + ".x", good + " ", good + "A",
                   signed_with(R"({"alg":"none","typ":"JWT"})", claims()),
                   signed_with(R"({"alg":"HS256","typ":"apikey+jwt"})", claims()), signed_with("[]", claims()),
                   signed_with(good_header, claims(), "another key of thirty-two bytes!"),
                   signed_with(good_header, "[]"), signed_with(good_header, claims("credence-api", "other")),
                   signed_with(good_header, claims("\"exp\":1790003600", "\"exp\":1789999000")))) {
    const auto answer = verify_access_token(rules(), each, now);
    ASSERT_FALSE(answer) << each;
    EXPECT_EQ(answer.why().code, refusal_code::unauthenticated);
    EXPECT_EQ(answer.why().detail, bad_token().detail) << "a refusal must not say what was wrong";
  }
}

TEST(TokenCache, RemembersHashesAndStaysWithinItsBound) {
  token_cache cache{rules(), 16};
  for (int i = 1; i <= 100; ++i) {
    const auto token = mint_access_token(rules(), profile_id{i}, false, now, 3600s);
    ASSERT_TRUE(cache.verify(token, now));
    EXPECT_EQ(cache.verify(token, now)->profile, profile_id{i});
    EXPECT_LE(cache.size(), 16u);
  }
}

TEST(TokenCache, AClockThatJumpsForwardAndBackKeepsNobodyOut) {
  token_cache cache{rules(), 16};
  const auto token = mint_access_token(rules(), profile_id{7}, false, now, 60s);
  EXPECT_TRUE(cache.verify(token, now));
  EXPECT_FALSE(cache.verify(token, now + 1h));
  EXPECT_TRUE(cache.verify(token, now + 1s));
  EXPECT_TRUE(cache.verify(mint_access_token(rules(), profile_id{8}, false, now + 1s, 60s), now + 1s));
}

std::string hex(const digest& d) {
  std::string out;
  for (const auto b : d) {
    out += "0123456789abcdef"[static_cast<unsigned>(b) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned>(b) & 15];
  }
  return out;
}

TEST(Keccak, HashesAttestationsAsTheChainDoes) {
  EXPECT_EQ(hex(attestation_hash("x.com", "1395154870932541446")),
            "ee0369b84a795db01c7601df7fef61f5097e29144d6d2be3341df7d4c56c6095");
}

TEST(Keccak, AgreesWithTheKnownAnswers) {
  std::ifstream in{test::built::source + "/../shared/vectors/keccak/ShortMsgKAT_256.txt"};
  if (!in && !vectors_here())
    GTEST_SKIP() << "the public vectors (shared/vectors) are not on this machine";
  ASSERT_TRUE(in) << "vectors/keccak is not with the others";
  std::string line;
  std::size_t bits = 0;
  std::string message;
  int checked = 0;
  while (std::getline(in, line)) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.pop_back();
    if (line.starts_with("Len = "))
      bits = std::stoul(line.substr(6));
    if (line.starts_with("Msg = ")) {
      message.clear();
      for (std::size_t i = 6; i + 1 < line.size() && message.size() < bits / 8; i += 2)
        message += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    }
    if (line.starts_with("MD = ") && bits % 8 == 0) {
      auto want = line.substr(5);
      for (auto& c : want)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      EXPECT_EQ(hex(keccak256(message)), want) << bits;
      ++checked;
    }
  }
  EXPECT_GE(checked, 256);
}

namespace fs = std::filesystem;

struct TokenKey : testing::Test {
  signing_keys read() const { return read_signing_keys({}, {}, dir); }

  const test::scratch_directory scratch{"keys"};
  const std::string dir = scratch.path().string();
};

TEST_F(TokenKey, IsMadeOnceAndReadableByItsOwnerAlone) {
  const auto first = read();
  EXPECT_EQ(first.now.reveal().size(), 64u);
  EXPECT_TRUE(first.older.empty());
  EXPECT_EQ(read().now.reveal(), first.now.reveal());
  struct stat about {};
  ASSERT_EQ(::stat((dir + "/token.key").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(TokenKey, OneOfAnEarlierReleaseGoesOn) {
  const std::string key(64, '7');
  std::ofstream{dir + "/token.key"} << key << "\n";
  fs::permissions(dir + "/token.key", fs::perms{0600});
  EXPECT_EQ(read().now.reveal(), key);
}

TEST_F(TokenKey, ANewOneSignsAndTheOldOnesAreKeptUntilTheyAreRetired) {
  const auto first = read().now.reveal();
  const auto id = rotate_signing_keys(dir);
  const auto both = read();
  EXPECT_EQ(signing_key_id(both.now), id);
  ASSERT_EQ(both.older.size(), 1u);
  EXPECT_EQ(both.older[0].reveal(), first);
  EXPECT_THROW(retire_signing_key(dir, id), std::runtime_error) << "the one that signs";
  EXPECT_THROW(retire_signing_key(dir, "unknown"), std::runtime_error);
  retire_signing_key(dir, signing_key_id(secret{first}));
  EXPECT_TRUE(read().older.empty());
  EXPECT_EQ(signing_key_id(read().now), id);
}

TEST_F(TokenKey, FourAreTheMost) {
  read();
  for (std::size_t i = 1; i < signing_keys_max; ++i)
    rotate_signing_keys(dir);
  EXPECT_EQ(read().older.size(), signing_keys_max - 1);
  EXPECT_THROW(rotate_signing_keys(dir), std::runtime_error);
}

TEST_F(TokenKey, IsRefusedWhereOthersMayReadItOrItIsShort) {
  read();
  fs::permissions(dir + "/token.key", fs::perms{0640});
  EXPECT_THROW(read(), std::runtime_error);
  fs::permissions(dir + "/token.key", fs::perms{0600});
  std::ofstream{dir + "/token.key", std::ios::app} << "short\n";
  EXPECT_THROW(read(), std::runtime_error);
  EXPECT_THROW(read_signing_keys(secret{"short"}, {}, dir), std::runtime_error);
  EXPECT_THROW(read_signing_keys(secret{std::string(32, 'a')}, secret{"short"}, dir), std::runtime_error);
}

struct MasterKeys : testing::Test {
  std::string file(const std::string& content, unsigned mode = 0600) const {
    const auto path = dir + "/key" + std::to_string(count++);
    std::ofstream{path} << content;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static settings::wallet_keys in_file(const std::string& path) {
    settings::wallet_keys out;
    out.master_key_file = path;
    return out;
  }
  /// What reading these settings says is wrong; empty: nothing.
  static std::string flaw(const settings::wallet_keys& with) {
    try {
      read_master_keys(with);
      return {};
    } catch (const std::runtime_error& why) {
      return why.what();
    }
  }

  const test::scratch_directory scratch{"master"};
  const std::string dir = scratch.path().string();
  mutable int count = 0;
};

bool says(const std::string& flaw, const char* part) { return flaw.find(part) != std::string::npos; }

TEST_F(MasterKeys, AreReadFromAFileOrFromText) {
  const auto of_file = read_master_keys(in_file(file(master_hex('a') + "\n")));
  settings::wallet_keys with;
  with.master_key = secret{master_hex('a')};
  const auto of_text = read_master_keys(with);
  EXPECT_EQ(of_file.now().version(), 1);
  EXPECT_EQ(of_file.now().fingerprint(), of_text.now().fingerprint());
  EXPECT_NE(of_file.now().fingerprint(), master(1, 'b').fingerprint());
  EXPECT_EQ(flaw(in_file(file(master_hex('a'), 0400))), "");
}

TEST_F(MasterKeys, AFileThatOthersMayReadIsRefused) {
  for (const unsigned mode : {0640u, 0604u, 0644u, 0660u, 0666u, 0610u, 0700u})
    EXPECT_TRUE(says(flaw(in_file(file(master_hex('a'), mode))), "chmod 600")) << std::oct << mode;
  EXPECT_TRUE(says(flaw(in_file(dir)), "regular file"));
  EXPECT_TRUE(says(flaw(in_file(dir + "/none")), "No such file"));
}

TEST_F(MasterKeys, WhatIsNoKeyIsRefusedAndNeverRepeated) {
  for (const auto& text :
       {std::string{}, master_hex('a').substr(1), master_hex('a') + "0", master_hex('g'),
        "0x" + master_hex('a').substr(2), master_hex('a') + "\n" + master_hex('b'), std::string(5000, 'a')}) {
    const auto wrong = flaw(in_file(file(text)));
    EXPECT_TRUE(says(wrong, "openssl rand -hex 32")) << wrong;
    if (text.size() > 20) {
      EXPECT_FALSE(says(wrong, text.substr(2, 18).c_str())) << "a message must not repeat what may be a key";
    }
  }
  EXPECT_TRUE(says(flaw(in_file(file(std::string(64, '0')))), "one byte repeated"));
}

TEST_F(MasterKeys, TheOneBeforeIsOfTheVersionBefore) {
  auto with = in_file(file(master_hex('b')));
  with.master_version = 3;
  with.master_key_before_file = file(master_hex('a'));
  const auto both = read_master_keys(with);
  EXPECT_EQ(both.now().version(), 3);
  ASSERT_TRUE(both.of(2));
  EXPECT_EQ(both.of(2)->fingerprint(), master(2, 'a').fingerprint());
  EXPECT_FALSE(both.of(1));
  EXPECT_EQ(both.named(),
            "3 (" + hex_of(both.now().fingerprint()) + ") and 2 (" + hex_of(both.of(2)->fingerprint()) + ")");
  with.master_version = 1;
  EXPECT_TRUE(says(flaw(with), "at least 2"));
  with.master_version = 2;
  with.master_key_before_file = file(master_hex('b'));
  EXPECT_TRUE(says(flaw(with), "the same key"));
}

TEST_F(MasterKeys, OneKeyHasOnePlace) {
  auto with = in_file(file(master_hex('a')));
  with.master_key = secret{master_hex('a')};
  EXPECT_TRUE(says(flaw(with), "both set"));
  EXPECT_TRUE(says(flaw({}), "there is no master key"));
}

} // namespace
} // namespace credence::auth
