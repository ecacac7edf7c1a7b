#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/system/service.hpp"
#include "tests/system/tip_ledger.hpp"
#include "tests/waiting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

namespace credence::test {
namespace {

/// What slashes for XP and for money come to, in the whole service. Profile 1 is an admin; 2 slashes 30, and 3 votes.
class SlashOutcomes : public testing::Test {
protected:
  SlashOutcomes() { start(); }

  void start() { server.start({"--admin", "1"}); }
  http_response post(const std::string& target, int who, const std::string& body, const std::string& key = {}) {
    return server.client().send("POST", "/api/v2/" + target, with_json(by_bearer(server.token(who)), key), body);
  }
  static std::string code(const http_response& of) {
    return std::to_string(of.status) + " " + json_text(of.body, "/code");
  }
  http_response slash(const std::string& type, std::int64_t amount, int seconds = 3600) {
    return post("slashes", 1,
                R"({"authorProfileId":2,"subject":"profileId:30","slashType":")" + type + R"(","amount":)"
                  + std::to_string(amount) + R"(,"duration":)" + std::to_string(seconds) + R"(,"comment":"because"})");
  }
  std::string opened(const std::string& type, std::int64_t amount, int seconds = 3600) {
    const auto answer = slash(type, amount, seconds);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return std::to_string(json_number(answer.body, "/id"));
  }
  void vote(const std::string& on, const std::string& side) {
    const auto answer = post("slashes/" + on + "/votes", 3, R"({"vote":")" + side + R"("})");
    EXPECT_EQ(answer.status, 200) << answer.body;
  }
  http_response tip(int from, std::int64_t amount) {
    return post("xp/tip", from, R"({"receiverUserkey":"profileId:4","amount":)" + std::to_string(amount) + "}");
  }
  bool closed(const std::string& id) {
    return server.database().sql("SELECT count(*) FROM slashes WHERE closed_at IS NOT NULL AND id = " + id) == "1";
  }
  void expect_sound() {
    const auto found = server.command({"verify"});
    EXPECT_EQ(found.code, 0) << found.out << found.err;
  }

  service server;
};

TEST_F(SlashOutcomes, XpThatIsPutAsideCannotBeSpent) {
  give_xp(server, 2, 1000);
  give_xp(server, 30, 1000);
  ASSERT_EQ(tip(2, 1).status, 200) << "from here on its balance is remembered";
  const auto author = xp_of(server, 2), subject = xp_of(server, 30);
  const auto least = std::min(author, subject);
  EXPECT_EQ(code(slash("XP", author + 1)), "400 INSUFFICIENT_XP");
  EXPECT_EQ(code(slash("XP", 1'000'001)), "400 INVALID_AMOUNT");
  const auto id = opened("XP", least);
  EXPECT_EQ(xp_of(server, 2), author - least);
  EXPECT_EQ(code(tip(2, author - least + 1)), "400 INSUFFICIENT_XP") << "at once";
  EXPECT_EQ(server.client().get("/api/v1/slashes?author=2&status=open").body.find("\"XP\""), std::string::npos)
    << "two types in version 1";
  EXPECT_EQ(json_text(server.client().get("/api/v2/slashes?author=2&status=open").body, "/values/0/slashType"), "XP");
  EXPECT_EQ(post("slashes/" + id + "/cancel", 1, "{}").status, 200);
  EXPECT_EQ(xp_of(server, 2), author);
  EXPECT_EQ(xp_of(server, 30), subject);
  EXPECT_EQ(tip(2, author).status, 200) << "it may be spent again";
  expect_sound();
}

TEST_F(SlashOutcomes, TheWinnerTakesTheXpAlsoWhenTheServerDied) {
  give_xp(server, 2, 1000);
  give_xp(server, 30, 1000);
  const auto author = xp_of(server, 2), subject = xp_of(server, 30);
  const auto id = opened("XP", 700, 6);
  vote(id, "slash");
  server.kill_hard();
  start();
  await("the end of the slash", [&] { return closed(id); });
  EXPECT_EQ(xp_of(server, 2), author + 700);
  EXPECT_EQ(xp_of(server, 30), subject - 700);
  await("the XP that was won", [&] { return tip(2, author + 700).status == 200; });
  EXPECT_EQ(xp_of(server, 2), 0);
  expect_sound();
  server.database().sql("ALTER TABLE xp_movements DISABLE TRIGGER xp_movements_stay");
  server.database().sql("UPDATE xp_movements SET source_id = 1 WHERE kind = 'XP_SLASH_STAKE_WON'");
  const auto unsound = server.command({"verify"});
  EXPECT_NE((unsound.out + unsound.err).find("XP of slash"), std::string::npos) << unsound.out << unsound.err;
}

TEST_F(SlashOutcomes, TipsAtTheSameMomentNeverSpendWhatIsPutAside) {
  give_xp(server, 2, 5000);
  give_xp(server, 30, 5000);
  std::atomic<bool> stop{false};
  std::thread tipping{[&] {
    while (!stop)
      tip(2, 3);
  }};
  for (int i = 0; i < 10; ++i) {
    http_response answer;
    await("a slash", [&] { return (answer = slash("XP", 3000)).status == 200; });
    const auto id = std::to_string(json_number(answer.body, "/id"));
    await("its end", [&] { return post("slashes/" + id + "/cancel", 1, "{}").status == 200; });
  }
  stop = true;
  tipping.join();
  expect_sound();
}

TEST_F(SlashOutcomes, MoneyCutsDeclaredVouches) {
  const auto vouch = post("vouches/create", 30, R"({"subject":"profileId:31","amount":1000})");
  ASSERT_EQ(vouch.status, 200) << vouch.body;
  const auto number = std::to_string(json_number(vouch.body, "/id"));
  const auto id = opened("FINANCIAL", 100, 2);
  vote(id, "slash");
  await("the end of the slash", [&] { return closed(id); });
  const auto cut = server.client().get("/api/v2/vouches/" + number).body;
  EXPECT_EQ(json_text(cut, "/deposited"), "1000000000000000000") << cut;
  EXPECT_EQ(json_text(cut, "/balance"), "990000000000000000") << "one percent less";
  EXPECT_EQ(post("vouches/" + number + "/increase", 30, R"({"amount":1})").status, 200);
  EXPECT_EQ(json_text(post("vouches/" + number + "/withdraw", 30, "{}").body, "/withdrawn"), "991000000000000000");
  expect_sound();
}

} // namespace
} // namespace credence::test
