#include "http/admin/pages.hpp"
#include "http/admin/routes.hpp"
#include "http/admin/sessions.hpp"
#include "http/routes.hpp"
#include "http/server/route_table.hpp"
#include "tests/build_paths.hpp"
#include "tests/there.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <set>

namespace credence::http::admin {
namespace {

using namespace std::chrono_literals;

struct AdminSessions : testing::Test {
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
  const auto found = test::there(all.find(cookie, start + by.idle_max - 1s));
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

TEST_F(AdminSessions, OfAWallLastWithoutUseAndOutliveTheBrowser) {
  sessions all{by};
  caller screen;
  screen.may = role::wall;
  screen.name = "root";
  screen.by = entry::link;
  const auto who = all.open(screen, start);
  EXPECT_EQ(who.idle_ends_at, start + by.wall_max);
  const auto cookie = all.cookie_of(who);
  const auto found = test::there(all.find(cookie, start + by.wall_max - 1s));
  EXPECT_EQ(found->may, role::wall);
  EXPECT_FALSE(all.renewed(*found, start + by.wall_max - 1s));
  EXPECT_FALSE(all.find(cookie, start + by.wall_max));
  EXPECT_TRUE(all.still_open(who, start + by.wall_max - 1s));
  EXPECT_FALSE(all.still_open(who, start + by.wall_max));
  EXPECT_NE(all.set_cookie(who).find("; Max-Age=" + std::to_string(by.wall_max.count())), std::string::npos);
  EXPECT_EQ(all.set_cookie(all.open(of_profile(7), start)).find("Max-Age"), std::string::npos);
  EXPECT_TRUE(all.end(who.session, *who.ends_at, start));
  EXPECT_FALSE(all.find(cookie, start));
}

TEST_F(AdminSessions, KnowTheWalletThatSignedInAndLookAtItNowAndThen) {
  sessions all{by};
  auto who = of_profile(7);
  who.wallet = credence::parse_address("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
  const auto cookie = all.cookie_of(all.renewed(all.open(who, start), start + 10min).value());
  const auto found = test::there(all.find(cookie, start + 10min));
  EXPECT_EQ(found->wallet, who.wallet);
  EXPECT_TRUE(all.has_to_look_at_wallet(*found, start + 10min)) << "at first";
  EXPECT_FALSE(all.has_to_look_at_wallet(*found, start + 10min + 19s));
  EXPECT_TRUE(all.has_to_look_at_wallet(*found, start + 10min + 20s));
  EXPECT_FALSE(all.has_to_look_at_wallet(all.open(of_profile(7), start), start)) << "a cookie of before names none";
}

TEST_F(AdminSessions, LookAtTheWalletWithEachUseWhereNoEndCanBeRemembered) {
  sessions all{by};
  auto who = of_profile(7);
  who.wallet = credence::parse_address("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
  const auto found = test::there(all.find(all.cookie_of(all.open(who, start)), start));
  for (int i = 0; all.end("console-other-" + std::to_string(i), start + 1h, start); ++i)
    ASSERT_LT(i, 1'000'000) << "names have a bound";
  EXPECT_TRUE(all.has_to_look_at_wallet(*found, start));
  EXPECT_FALSE(all.end_without_wallet(*found, start));
  EXPECT_TRUE(all.has_to_look_at_wallet(*found, start + 1s));
  EXPECT_TRUE(all.end_without_wallet(*found, start + 2h)) << "others are forgotten by then";
  EXPECT_TRUE(all.has_ended(found->session));
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
  const auto link = test::there(all.use_link(code, start + 9min));
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
  const auto link = test::there(all.use_link(make_link_code(by.tokens, role::admin, "a.b\"\n<c>", start), start));
  EXPECT_EQ(link->name, "abc");
}

// The table of the admin listener, and its description.

using named = std::map<std::string, const route*>; // `get /admin/…`

std::string verb_in(method verb) {
  std::string out{http::name_of(verb)};
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

named table() {
  named out;
  for (const auto& each : routes())
    out[verb_in(each.verb) + " " + std::string{each.path}] = &each;
  return out;
}

struct described {
  std::string role, topic;
  bool takes_csrf = false;
};

std::map<std::string, described> document() {
  static simdjson::dom::parser parser;
  const auto root = parser.load(std::string{credence::test::built::source} + "/http/admin/openapi.json");
  std::map<std::string, described> out;
  const simdjson::dom::object paths = root["paths"].get_object().value(); // a loop would not keep it
  for (const auto [path, of_path] : paths) {
    const simdjson::dom::object methods = of_path.get_object().value();
    for (const auto [verb, operation] : methods) {
      described each;
      std::string_view role, topic;
      if (!operation["x-role"].get(role))
        each.role = role;
      if (!operation["x-topic"].get(topic))
        each.topic = topic;
      simdjson::dom::array parameters;
      if (!operation["parameters"].get(parameters))
        for (const auto parameter : parameters) {
          std::string_view reference;
          each.takes_csrf = each.takes_csrf || (!parameter["$ref"].get(reference) && reference.ends_with("/CsrfToken"));
        }
      out[std::string{verb} + " " + std::string{path}] = each;
    }
  }
  return out;
}

TEST(AdminRoutes, AreThoseThatTheReferenceDescribes) {
  const auto said = document();
  const auto there = table();
  for (const auto& [name, route] : there)
    EXPECT_TRUE(said.contains(name)) << name << " is not described";
  for (const auto& [name, operation] : said)
    EXPECT_TRUE(there.contains(name)) << name << " is described, and is no route";
}

TEST(AdminRoutes, NeedTheRoleThatTheReferenceSays) {
  const auto said = document();
  for (const auto& [name, route] : table()) {
    const auto found = said.find(name);
    if (found == said.end())
      continue;
    EXPECT_EQ(route->least == role::none ? "open" : admin::name_of(route->least), found->second.role) << name;
    EXPECT_EQ(route->topic, found->second.topic) << name;
    EXPECT_EQ(route->verb != method::get && route->least != role::none, found->second.takes_csrf) << name;
  }
}

TEST(AdminRoutes, AreNoneOfThePublicListener) {
  for (const auto& each : http::routes())
    EXPECT_FALSE(each.path.starts_with("/admin")) << each.path;
  for (const auto& each : routes())
    EXPECT_TRUE(each.path.starts_with("/admin/api/v1/")) << each.path;
}

TEST(AdminRoutes, LetNobodyWriteWhoOnlyLooks) {
  const std::set<std::string_view> of_the_caller{"/admin/api/v1/session"};
  for (const auto& each : routes())
    if (each.verb != method::get && each.least != role::none && !of_the_caller.contains(each.path)) {
      EXPECT_GE(each.least, role::operator_) << each.path;
    }
}

TEST(AdminPages, LeadToTheConsoleByRelativeLinksAlone) {
  for (const auto& [path, where] : {std::pair{"/admin", "./"}, std::pair{"/admin/", "../"}}) {
    const auto found = page_at(path, {});
    EXPECT_EQ(found.status, 308u) << path;
    EXPECT_NE(found.headers.find("Location: " + std::string{where} + "\r\n"), std::string::npos) << path;
  }
}

TEST(AdminPages, CarryTheReferenceAndTheManualInTheExecutable) {
  for (const auto& [name, beginning] : {std::pair{"openapi.json", "{"}, std::pair{"operating.md", "# "}}) {
    const auto* found = find_embedded(name);
    ASSERT_TRUE(found) << name;
    EXPECT_TRUE(found->content.starts_with(beginning)) << name;
    EXPECT_LT(found->zipped.size(), found->content.size()) << name;
    EXPECT_TRUE(found->zipped.starts_with("\x1f\x8b")) << name << " as gzip";
  }
}

TEST(AdminPages, SayWhereNoBundleIsBuiltIn) {
  const auto found = page_at("/", {});
  if (find_embedded("console/index.html")) {
    EXPECT_EQ(found.status, 200u);
    EXPECT_NE(page_at("/actors/project:7", {}).body.find("<base href=\"../\">"), std::string::npos);
  } else {
    EXPECT_EQ(found.status, 503u);
    EXPECT_NE(found.body.find("without the pages of the console"), std::string::npos);
  }
}

TEST(AdminPages, AreFoundAgainByTheirTag) {
  for (const auto& each : embedded_files()) {
    if (!each.name.starts_with("console/") || each.name == "console/index.html")
      continue;
    const auto path = "/" + std::string{each.name.substr(8)};
    request_head head;
    EXPECT_EQ(page_at(path, head).body, each.content) << path;
    head.accept_encoding = "br, gzip;q=0.5";
    const auto zipped = page_at(path, head);
    EXPECT_EQ(zipped.headers.find("Content-Encoding: gzip") != std::string::npos,
              each.zipped.size() < each.content.size())
      << path;
    head.if_none_match = each.etag;
    EXPECT_EQ(page_at(path, head).status, 304u) << path;
  }
}

TEST(AdminPages, LeadNowhereElse) {
  for (const auto* path :
       {"/missing.js", "/assets/../../../etc/passwd.txt", "/console/index.html", "/openapi.json", "/operating.md"})
    EXPECT_NE(page_at(path, {}).status, 200u) << path;
}

} // namespace
} // namespace credence::http::admin
