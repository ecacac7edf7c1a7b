#include "http/admin/sessions.hpp"

#include <gtest/gtest.h>

namespace credence::http::admin {
namespace {

using namespace std::chrono_literals;

class AdminSessions : public testing::Test {
protected:
  AdminSessions() {
    by.tokens = {secret{"a key that is long enough for HS256"}, "credence", "credence-api"};
    by.roles[profile_id{7}] = role::operator_;
    by.started_at = start;
  }
  caller of_profile(int id) {
    caller out;
    out.profile = profile_id{id};
    out.name = "profile " + std::to_string(id);
    out.may = role::operator_;
    out.by = entry::wallet;
    return out;
  }

  const timestamp start{std::chrono::sys_days{std::chrono::year{2026} / 11 / 1}};
  terms by;
};

TEST_F(AdminSessions, AreFoundByTheirCookieUntilTheyHaveBeenIdle) {
  sessions all{by};
  const auto opened = all.open(of_profile(7), start);
  const auto cookie = all.cookie_of(opened);
  const auto found = all.find(cookie, start + by.idle_max - 1s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->profile, profile_id{7});
  EXPECT_EQ(found->may, role::operator_);
  EXPECT_EQ(found->session, opened.session);
  EXPECT_FALSE(all.find(cookie, start + by.idle_max));
  EXPECT_FALSE(all.find("", start));
  EXPECT_FALSE(all.find(cookie + "x", start));
}

TEST_F(AdminSessions, AreRenewedByUseAndEndAfterHalfADay) {
  sessions all{by};
  auto who = all.open(of_profile(7), start);
  EXPECT_FALSE(all.renewed(who, start + 10s)) << "a moment makes no difference";
  auto now = start;
  for (int i = 0; i < 30; ++i) {
    now += 30min;
    if (now >= start + by.session_max)
      break;
    const auto found = all.find(all.cookie_of(who), now);
    ASSERT_TRUE(found) << i;
    who = all.renewed(*found, now).value_or(*found);
  }
  EXPECT_GE(now, start + by.session_max);
  EXPECT_FALSE(all.find(all.cookie_of(who), now));
}

TEST_F(AdminSessions, HaveTheRoleThatTheSettingsGiveNow) {
  sessions all{by};
  const auto cookie = all.cookie_of(all.open(of_profile(7), start));
  by.roles[profile_id{7}] = role::viewer;
  EXPECT_EQ(all.find(cookie, start)->may, role::viewer);
  by.roles.clear();
  EXPECT_FALSE(all.find(cookie, start));
}

TEST_F(AdminSessions, EndForGoodWhereTheyAreEnded) {
  sessions all{by};
  const auto who = all.open(of_profile(7), start);
  EXPECT_TRUE(all.end(who.session, *who.ends_at, start));
  EXPECT_FALSE(all.find(all.cookie_of(who), start));
  sessions after_a_restart{by};
  EXPECT_TRUE(after_a_restart.find(all.cookie_of(who), start)) << "nobody has told it yet";
  after_a_restart.know_ended({who.session}, start);
  EXPECT_FALSE(after_a_restart.find(all.cookie_of(who), start));
}

TEST_F(AdminSessions, AreOpenAsLongAsTheyMayHaveBeenUsed) {
  sessions all{by};
  const auto who = all.open(of_profile(7), start + 1min);
  EXPECT_EQ(all.still_open(who, start + 2min)->idle_ends_at, start + 1min + by.idle_max);
  EXPECT_FALSE(all.last_used(who.session));
  ASSERT_TRUE(all.find(all.cookie_of(who), start + 30min));
  EXPECT_EQ(all.last_used(who.session), start + 30min);
  EXPECT_TRUE(all.still_open(who, start + by.idle_max + 29min));
  EXPECT_FALSE(all.still_open(who, start + by.idle_max + 30min));
  EXPECT_EQ(all.still_open(who, start + 31min)->ends_at, who.signed_in_at + by.session_max);
  auto older = all.open(of_profile(7), start - 5h); // it may have been used until this process began
  EXPECT_TRUE(all.still_open(older, start + by.idle_max - 1s));
  EXPECT_FALSE(all.still_open(older, start + by.idle_max));
  by.roles.clear();
  EXPECT_FALSE(all.still_open(who, start + 31min)) << "the profile has no role any more";
}

TEST_F(AdminSessions, HaveACsrfTokenEach) {
  sessions all{by};
  const auto token = all.csrf_token_of("console-1");
  EXPECT_TRUE(all.is_csrf_token_of("console-1", token));
  EXPECT_FALSE(all.is_csrf_token_of("console-2", token));
  EXPECT_FALSE(all.is_csrf_token_of("console-1", ""));
  EXPECT_FALSE(all.is_csrf_token_of("console-1", token.substr(1)));
}

TEST_F(AdminSessions, ALinkIsGoodOnceAndForTenMinutes) {
  sessions all{by};
  const auto code = make_link_code(by.tokens, role::viewer, "root", start);
  EXPECT_FALSE(all.use_link(code, start + 10min));
  const auto link = all.use_link(code, start + 9min);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->of, role::viewer);
  EXPECT_EQ(link->name, "root");
  EXPECT_FALSE(all.use_link(code, start + 9min));
}

TEST_F(AdminSessions, ALinkCannotBeMadeUpOrRaised) {
  sessions all{by};
  auto code = make_link_code(by.tokens, role::viewer, "root", start);
  auto raised = code;
  raised.replace(raised.find("viewer"), 6, "admin");
  EXPECT_FALSE(all.use_link(raised, start));
  for (const auto* text : {"", ".", "....", "a.b.admin.root.c", "...admin..", "\0\0\0\0\0"})
    EXPECT_FALSE(all.use_link(text, start)) << text;
  EXPECT_FALSE(all.use_link(std::string(5000, '.'), start));
  auto others = by;
  others.tokens.key = secret{"another key that is long enough as well"};
  EXPECT_FALSE(sessions{others}.use_link(code, start));
}

TEST_F(AdminSessions, ALinkFromBeforeTheStartWaitsForWhatTheDatabaseKnows) {
  const auto code = make_link_code(by.tokens, role::admin, "root", start - 1min);
  sessions all{by};
  EXPECT_FALSE(all.use_link(code, start)) << "it may have been used";
  sessions knows{by};
  knows.know_ended({}, start);
  EXPECT_TRUE(knows.use_link(code, start));
}

TEST_F(AdminSessions, NamesInLinksHoldNothingThatBreaksThem) {
  sessions all{by};
  const auto link = all.use_link(make_link_code(by.tokens, role::admin, "a.b\"\n<c>", start), start);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->name, "abc");
}

} // namespace
} // namespace credence::http::admin
