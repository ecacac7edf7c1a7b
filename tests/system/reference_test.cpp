#include "http/call/parameters.hpp"
#include "ops/demo/words.hpp"
#include "tests/system/service.hpp"

#include <regex>
#include <sstream>

namespace credence::test {
namespace {

service& shared() {
  return shared_service([](service& one) { one.start({"--admin", "1"}); });
}

std::string url() { return "http://127.0.0.1:" + std::to_string(shared().port()); }

finished run_script(const std::string& name, environment extra) {
  extra.emplace_back("CREDENCE_URL", url());
  return run_program({"node", test::built::source + "/tests/reference/" + name}, extra);
}

TEST(Reference, TypesMadeOfTheDocumentCompileAndVoteTipAndMakeAKey) {
  const auto ran = run_script(
    "typed.mjs", {{"CREDENCE_ORIGIN", "http://127.0.0.1:8080"}, // what a server calls itself that was told nothing
                  {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[1].key}},
                  {"CREDENCE_TIP_RECEIVER", "profileId:5"}});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/reference: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "typed: all is well\n");
}

TEST(Reference, ShowsTheDocumentInABrowser) {
  auto client = shared().client();
  for (const auto* profile : {"2", "3"}) // whose market the example of the guide trades on, and who trades
    EXPECT_EQ(client
                .post("/api/v2/markets/deposits",
                      R"({"profileId":)" + std::string{profile} + R"(,"amount":"1000000000000000000"})",
                      shared().token(1))
                .status,
              200);
  EXPECT_EQ(client.post("/api/v2/markets", R"({"configType":"NORMAL"})", shared().token(2)).status, 200);
  const auto ran = run_script(
    "docs.mjs", {{"CREDENCE_ORIGIN", "http://127.0.0.1:8080"}, // what a server calls itself that was told nothing
                 {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[2].key}}});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/reference: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "docs: all is well\n");
}

TEST(Reference, IsSentOnceToWhoHasIt) {
  auto client = shared().client();
  for (const auto* path : {"/openapi.json", "/docs", "/docs/reference.js", "/docs/reference.css", "/docs/guides",
                           "/docs/guides.js", "/docs/guides/first-bot", "/llms.txt"}) {
    const auto first = ok(client.get(path));
    EXPECT_FALSE(first.body.empty()) << path;
    const auto etag = first.headers.at("etag");
    const auto second = client.send("GET", path, {{"If-None-Match", "\"another\", " + etag}});
    EXPECT_EQ(second.status, 304) << path;
    EXPECT_EQ(second.body, "") << path;
    EXPECT_EQ(second.headers.at("etag"), etag) << path;
    EXPECT_FALSE(second.headers.contains("content-length")) << path;
    EXPECT_EQ(client.send("GET", path, {{"If-None-Match", "\"another\""}}).status, 200) << path;
    const auto head = ok(client.send("HEAD", path));
    EXPECT_EQ(head.headers.at("content-length"), std::to_string(first.body.size())) << path;
    EXPECT_EQ(client.post(path, "{}").status, 405) << path;
  }
}

TEST(Reference, SaysAtTheStartWhatThisIs) {
  auto client = shared().client();
  const auto program = ok(client.get("/"));
  EXPECT_EQ(json_text(program.body, "/links/openapi"), "/openapi.json");
  EXPECT_EQ(client.get(json_text(program.body, "/links/docs")).status, 200);
  EXPECT_EQ(client.get(json_text(program.body, "/links/llms")).status, 200);
  EXPECT_EQ(client.get(json_text(program.body, "/links/health")).status, 200);
  const auto browser =
    client.send("GET", "/", {{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}});
  EXPECT_EQ(browser.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_TRUE(has(browser.body, "href=\"docs\""));
  EXPECT_EQ(client.send("GET", "/", {{"Accept", "image/png"}}).status, 406);
  const auto with_slash = client.get("/docs/");
  EXPECT_EQ(with_slash.status, 308) << "links of the page begin beside it";
  EXPECT_EQ(with_slash.headers.at("location"), "../docs");
  EXPECT_EQ(client.send("GET", "/llms.txt", {{"Accept", "text/plain"}}).status, 200);
  EXPECT_EQ(client.send("GET", "/openapi.json", {{"Accept", "text/plain"}}).status, 406);
}

TEST(Reference, NamesWhomToTellOfAHole) {
  constexpr auto path = "/.well-known/security.txt";
  const auto start_again = [](const std::vector<std::string>& flags) {
    shared().terminate();
    shared().start(flags);
  };
  const auto none = shared().client().get(path);
  EXPECT_EQ(code(none), "404 NOT_FOUND") << none.body;

  start_again({"--http-security-contact", "mailto:security@example.org"});
  const auto told = ok(shared().client().send("GET", path, {{"Accept", "text/plain"}}));
  EXPECT_EQ(told.headers.at("content-type"), "text/plain; charset=utf-8");
  EXPECT_TRUE(has(("\n" + told.body), "\nContact: mailto:security@example.org\n")) << told.body;
  EXPECT_FALSE(has(told.body, "Canonical")) << "nobody reaches it by https";
  const std::regex line{"(Contact|Expires|Preferred-Languages): [!-~]+"};
  std::istringstream lines{told.body};
  for (std::string each; std::getline(lines, each);)
    EXPECT_TRUE(std::regex_match(each, line)) << each;
  const auto begin = told.body.find("Expires: ") + 9;
  const auto expires = told.body.substr(begin, told.body.find('\n', begin) - begin);
  EXPECT_TRUE(std::regex_match(expires, std::regex{R"(\d{4}-\d\d-\d\dT00:00:00\.000Z)"})) << expires;
  const auto in =
    std::chrono::floor<std::chrono::days>(http::parse_moment(expires, http::day_edge::start).value() - system_now());
  EXPECT_GT(in.count(), 170);
  EXPECT_LT(in.count(), 366) << "RFC 9116 recommends less than a year";

  start_again(
    {"--http-security-contact", "https://example.org/security", "--public-url", "https://reputation.example.org/"});
  EXPECT_TRUE(
    has(shared().client().get(path).body, "\nCanonical: https://reputation.example.org/.well-known/security.txt\n"));
  start_again({});
}

TEST(Reference, PagesRunNothingThatStandsInThem) {
  auto client = shared().client();
  for (const auto* path : {"/", "/docs"}) {
    const auto page = client.send("GET", path, {{"Accept", "text/html"}});
    const auto& policy = page.headers.at("content-security-policy");
    EXPECT_TRUE(has(policy, "default-src 'none'"));
    EXPECT_FALSE(has(policy, "unsafe"));
    EXPECT_FALSE(has(policy, "http"));
    EXPECT_FALSE(has(page.body, "<script>")) << path;
    EXPECT_FALSE(has(page.body, "<style")) << path;
    EXPECT_FALSE(has(page.body, "://")) << path << " names something elsewhere";
  }
}

} // namespace
} // namespace credence::test
