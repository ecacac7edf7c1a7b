#include "tests/auth/siwe_text.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"
#include "tests/system/signing.hpp"

#include <cctype>

namespace credence::test {
namespace {

using namespace std::chrono_literals;

constexpr int archived_profile = 8;
constexpr int profile_without_access = 9;

service& shared() {
  return shared_service([](service& one) {
    one.database().sql("UPDATE profiles SET archived = true WHERE id = " + std::to_string(archived_profile));
    one.start({"--public-url", signing_origin});
  });
}

const auth::wallet& stranger() {
  static const auth::wallet one{"a wallet that no profile has"};
  return one;
}

http_response post_key(const std::string& body) { return shared().client().post("/api/v2/api-keys", body); }

std::string keys_stored() { return shared().database().sql("SELECT count(*) FROM api_keys"); }

struct row {
  const char* situation;
  void (*spoil)(key_order&);
};

/// Every row must be refused with this status and code, and leave no key behind.
void expect_refused(int status, const char* code, const std::vector<row>& rows) {
  const auto before = keys_stored();
  for (const auto& [value, spoil] : rows) {
    key_order order{2};
    spoil(order);
    const auto answer = post_key(order.body());
    EXPECT_EQ(answer.status, status) << value << " -> " << answer.body;
    if (!answer.body.starts_with('{'))
      continue;
    EXPECT_EQ(json_text(answer.body, "/code"), code) << value << " -> " << answer.body;
    EXPECT_FALSE(json_text(answer.body, "/message").empty()) << value;
  }
  EXPECT_EQ(keys_stored(), before);
}

std::string lower(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(c));
  return text;
}

TEST(ApiKeyRefusals, AnOrderThatNothingIsWrongWithIsTaken) { ok(post_key(key_order{2}.body())); }

TEST(ApiKeyRefusals, WhatABodyMustHold) {
  using o = key_order&;
  expect_refused(
    400, "BAD_REQUEST",
    {
      {"no address", [](o x) { x.members["address"] = ""; }},
      {"no message", [](o x) { x.members["message"] = ""; }},
      {"no signature", [](o x) { x.members["signature"] = ""; }},
      {"no name", [](o x) { x.members["name"] = ""; }},
      {"address null", [](o x) { x.members["address"] = "null"; }},
      {"address a number", [](o x) { x.members["address"] = "5"; }},
      {"message a list", [](o x) { x.members["message"] = R"(["a"])"; }},
      {"signature an object", [](o x) { x.members["signature"] = "{}"; }},
      {"name a number", [](o x) { x.members["name"] = "5"; }},
      {"name null", [](o x) { x.members["name"] = "null"; }},
      {"name empty", [](o x) { x.members["name"] = R"("")"; }},
      {"name of 101", [](o x) { x.members["name"] = json_string(std::string(101, 'x')); }},
      {"name with NUL", [](o x) { x.members["name"] = R"("a\u0000b")"; }},
      {"name not UTF-8", [](o x) { x.members["name"] = "\"\xff\""; }},
      {"expiresAt a word", [](o x) { x.members["expiresAt"] = R"("tomorrow")"; }},
      {"expiresAt a number", [](o x) { x.members["expiresAt"] = "1893456000"; }},
      {"expiresAt empty", [](o x) { x.members["expiresAt"] = R"("")"; }},
      {"expiresAt no such month", [](o x) { x.members["expiresAt"] = R"("2027-13-01T00:00:00Z")"; }},
      {"expiresAt past", [](o x) { x.members["expiresAt"] = json_string(iso_text(system_now() - 1min)); }},
      {"expiresAt long past", [](o x) { x.members["expiresAt"] = R"("1999-01-01T00:00:00Z")"; }},
      {"expiresAt in 366 days", [](o x) { x.members["expiresAt"] = json_string(iso_text(system_now() + 366 * 24h)); }},
      {"expiresAt far off", [](o x) { x.members["expiresAt"] = R"("9999-12-31T23:59:59Z")"; }},
      {"address in lower case", [](o x) { x.address = lower(x.address); }},
      {"address with another checksum",
       [](o x) {
         auto& c = x.address[x.address.find_first_of("ABCDEF")];
         c = static_cast<char>(std::tolower(c));
       }},
      {"address without 0x", [](o x) { x.address.erase(0, 2); }},
      {"address too long", [](o x) { x.address += '0'; }},
      {"address too short", [](o x) { x.address.pop_back(); }},
      {"address a name", [](o x) { x.address = "bruno.eth"; }},
    });
}

TEST(ApiKeyRefusals, WhatABodyMustBe) {
  for (const auto& body : {std::string{}, std::string{"[]"}, std::string{"null"}, std::string{"\"a\""},
                           std::string{"{"}, std::string{"{}"}, "\xEF\xBB\xBF" + key_order{2}.body(),
                           key_order{2}.body() + "x", R"({"name":"again",)" + key_order{2}.body().substr(1)}) {
    const auto answer = post_key(body);
    EXPECT_EQ(code(answer), "400 BAD_REQUEST") << body.substr(0, 40) << " -> " << answer.body;
  }
  auto client = shared().client();
  const auto form = client.send("POST", "/api/v2/api-keys", {{"Content-Type", "text/plain"}}, key_order{2}.body());
  EXPECT_EQ(code(form), "415 UNSUPPORTED_MEDIA_TYPE") << "a page of any origin may send such a body";
}

/// A row for each way in which a message is not for this service or does not hold; all others: `SiweMessage.*`
/// (tests/auth/siwe_message_test.cpp), of the same reading.
TEST(ApiKeyRefusals, WhatAMessageMustBe) {
  using o = key_order&;
  expect_refused(
    400, "INVALID_MESSAGE",
    {
      {"another domain", [](o x) { x.says.domain = "evil.example"; }},
      {"another address than the body's", [](o x) { x.address = auth::checksummed_text(demo_wallet(3).account()); }},
      {"another scheme", [](o x) { x.says.scheme = "http"; }},
      {"another URI", [](o x) { x.says.uri = "https://evil.example"; }},
      {"another chain", [](o x) { x.says.chain_id = 1; }},
      {"no expiration", [](o x) { x.says.expiration_time.reset(); }},
      {"longer than ten minutes", [](o x) { x.says.expiration_time = moment(x.says.issued_at.at + 10min + 1s); }},
      {"issued in the future",
       [](o x) {
         x.says.issued_at = moment(system_now() + 5min);
         x.says.expiration_time = moment(system_now() + 10min);
       }},
      {"not good yet", [](o x) { x.says.not_before = moment(system_now() + 4min); }},
      {"a nonce of 129", [](o x) { x.says.nonce = std::string(129, 'a'); }},
      {"too long", [](o x) { x.says.statement = std::string(4000, 'x'); }},
      {"words after the last line", [](o x) { x.rewrite = [](std::string t) { return t + "\nTo: somebody"; }; }},
      {"empty", [](o x) { x.rewrite = [](const std::string&) { return std::string{}; }; }},
    });
}

TEST(ApiKeyRefusals, AMessageForSomethingElse) {
  using o = key_order&;
  expect_refused(
    400, "INVALID_MESSAGE",
    {
      {"no statement", [](o x) { x.says.statement.reset(); }},
      {"to sign in", [](o x) { x.says.statement = "Sign in."; }},
      {"to sign in elsewhere", [](o x) { x.says.statement = "Sign in to the page of a game."; }},
      {"at the console", [](o x) { x.says.statement = "Sign in to the operator console of Credence."; }},
      {"to link an address", [](o x) { x.says.statement = "Link this address to profile 2."; }},
      {"to create a profile", [](o x) { x.says.statement = "Create a profile."; }},
      {"to export a key", [](o x) { x.says.statement = "Export the key of the managed wallet of profile 2."; }},
      {"nothing of the kind", [](o x) { x.says.statement = "Read the news."; }},
      {"another key", [](o x) { x.says.statement = "Make the API key of mine until 2030-01-01T00:00:00Z."; }},
    });
  key_order named{2};
  const auto until = iso_text(std::chrono::floor<std::chrono::seconds>(system_now() + 24h));
  named.members["expiresAt"] = json_string(until);
  named.says.statement = "Make the API key a bot until " + until + ".";
  EXPECT_EQ(post_key(named.body()).status, 200) << "the one that the message names";
}

TEST(ApiKeyRefusals, AMessageThatIsOverIsToldApart) {
  using o = key_order&;
  expect_refused(400, "MESSAGE_EXPIRED",
                 {
                   {"over",
                    [](o x) {
                      x.says.issued_at = moment(system_now() - 6min);
                      x.says.expiration_time = moment(system_now() - 1s);
                    }},
                   {"long over",
                    [](o x) {
                      x.says.issued_at = moment(system_now() - 366 * 24h);
                      x.says.expiration_time = moment(system_now() - 366 * 24h + 5min);
                    }},
                 });
}

/// How it is read: `Signature.*` (tests/auth/signature_test.cpp).
TEST(ApiKeyRefusals, WhatASignatureMustBe) {
  using o = key_order&;
  expect_refused(
    400, "INVALID_SIGNATURE",
    {
      {"another's", [](o x) { x.signer = &demo_wallet(3); }},
      {"of another message",
       [](o x) { x.members["signature"] = json_string(x.signer->sign(auth::siwe_text(key_message(*x.signer)))); }},
      {"the other v",
       [](o x) { x.forge = [](std::string t) { return t.replace(130, 2, t.ends_with("1b") ? "1c" : "1b"); }; }},
      {"131 characters", [](o x) { x.forge = [](std::string t) { return t.substr(0, 131); }; }},
      {"empty", [](o x) { x.forge = [](const std::string&) { return std::string{}; }; }},
    });
}

TEST(ApiKeyRefusals, WhoMayHaveKeys) {
  using o = key_order&;
  expect_refused(403, "FORBIDDEN",
                 {
                   {"no profile", [](o x) { x = key_order{stranger()}; }},
                   {"no access", [](o x) { x = key_order{profile_without_access}; }},
                   {"archived", [](o x) { x = key_order{archived_profile}; }},
                 });
}

TEST(ApiKeyRefusals, ANonceCountsOnceWhateverElseDiffers) {
  const key_order first{2};
  ASSERT_EQ(post_key(first.body()).status, 200);
  auto second = first;
  second.says.statement = "Make another key.";
  second.members["name"] = R"("another name")";
  for (const auto& body : {first.body(), second.body()}) {
    const auto answer = post_key(body);
    EXPECT_EQ(code(answer), "400 NONCE_REUSED") << answer.body;
  }
  key_order others{3};
  others.says.nonce = first.says.nonce;
  EXPECT_EQ(post_key(others.body()).status, 200) << "another wallet's own";
}

TEST(ApiKeyRefusals, ARefusedMessageLeavesItsNonceFree) {
  key_order order{2};
  order.signer = &demo_wallet(3);
  ASSERT_EQ(post_key(order.body()).status, 400);
  order.signer = &demo_wallet(2);
  EXPECT_EQ(post_key(order.body()).status, 200);
}

TEST(ApiKeyRefusals, NothingAboutAProfileIsToldBeforeItsOwnerHasSigned) {
  const key_order used{2};
  ASSERT_EQ(post_key(used.body()).status, 200);
  const auth::wallet nobody{"somebody who is curious"};
  std::string said;
  for (auto order :
       {key_order{2}, key_order{profile_without_access}, key_order{archived_profile}, key_order{stranger()}, used}) {
    order.signer = &nobody;
    auto answer = post_key(order.body());
    EXPECT_EQ(answer.status, 400);
    const auto at = answer.body.find(order.address);
    ASSERT_NE(at, std::string::npos) << answer.body;
    const auto about = answer.body.replace(at, order.address.size(), "<address>");
    EXPECT_TRUE(said.empty() || about == said) << about << said;
    said = about;
  }
  EXPECT_TRUE(has(said, "INVALID_SIGNATURE"));
}

TEST(ApiKeyRefusals, TheTwoWaysToWriteASignatureAreBothTaken) {
  key_order order{3};
  order.forge = [](std::string t) { return t.replace(130, 2, t.ends_with("1b") ? "00" : "01"); };
  EXPECT_EQ(post_key(order.body()).status, 200);
  order = key_order{3};
  order.forge = [](std::string t) {
    for (std::size_t i = 2; i < t.size(); ++i)
      t[i] = static_cast<char>(std::toupper(t[i]));
    return t;
  };
  EXPECT_EQ(post_key(order.body()).status, 200);
}

} // namespace
} // namespace credence::test
