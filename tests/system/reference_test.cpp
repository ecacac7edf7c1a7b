#include "persistence/demo/words.hpp"
#include "tests/build_paths.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <string>

namespace credence::test {
namespace {

service& shared() {
  return shared_service([](service& one) { one.start(); });
}

std::string url() { return "http://127.0.0.1:" + std::to_string(shared().port()); }

finished run_script(const std::string& name, environment extra) {
  extra.emplace_back("CREDENCE_URL", url());
  return run_program({"node", test::built::source + "/tests/reference/" + name}, extra);
}

TEST(Reference, TypesMadeOfTheDocumentCompileAndVoteTipAndMakeAKey) {
  const auto ran = run_script("typed.mjs", {{"CREDENCE_ORIGIN", "http://127.0.0.1:8080"}, // what a server calls itself that was told nothing
                                            {"CREDENCE_WALLET_KEY", std::string{persistence::demo_words::wallets[1].key}},
                                            {"CREDENCE_TIP_RECEIVER", "profileId:5"}});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/reference: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "typed: all is well\n");
}

TEST(Reference, ShowsTheDocumentInABrowser) {
  const auto ran = run_script("docs.mjs", {});
  EXPECT_EQ(ran.code, 0) << ran.err << "\nIn tests/reference: npm ci --ignore-scripts";
  EXPECT_EQ(ran.out, "docs: all is well\n");
}

TEST(Reference, IsSentOnceToWhoHasIt) {
  auto client = shared().client();
  for (const auto* path : {"/openapi.json", "/docs", "/docs/reference.js", "/docs/reference.css", "/llms.txt"}) {
    const auto first = client.get(path);
    EXPECT_EQ(first.status, 200) << path;
    EXPECT_FALSE(first.body.empty()) << path;
    const auto etag = first.headers.at("etag");
    const auto second = client.send("GET", path, {{"If-None-Match", "\"another\", " + etag}});
    EXPECT_EQ(second.status, 304) << path;
    EXPECT_EQ(second.body, "") << path;
    EXPECT_EQ(second.headers.at("etag"), etag) << path;
    EXPECT_FALSE(second.headers.contains("content-length")) << path;
    EXPECT_EQ(client.send("GET", path, {{"If-None-Match", "\"another\""}}).status, 200) << path;
    const auto head = client.send("HEAD", path);
    EXPECT_EQ(head.status, 200) << path;
    EXPECT_EQ(head.headers.at("content-length"), std::to_string(first.body.size())) << path;
    EXPECT_EQ(client.post(path, "{}").status, 405) << path;
  }
}

TEST(Reference, SaysAtTheStartWhatThisIs) {
  auto client = shared().client();
  const auto program = client.get("/");
  EXPECT_EQ(program.status, 200);
  EXPECT_EQ(json_text(program.body, "/links/openapi"), "/openapi.json");
  EXPECT_EQ(client.get(json_text(program.body, "/links/docs")).status, 200);
  EXPECT_EQ(client.get(json_text(program.body, "/links/llms")).status, 200);
  EXPECT_EQ(client.get(json_text(program.body, "/links/health")).status, 200);
  const auto browser = client.send("GET", "/", {{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}});
  EXPECT_EQ(browser.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(browser.body.find("href=\"docs\""), std::string::npos);
  EXPECT_EQ(client.send("GET", "/", {{"Accept", "image/png"}}).status, 406);
  const auto with_slash = client.get("/docs/");
  EXPECT_EQ(with_slash.status, 308) << "links of the page begin beside it";
  EXPECT_EQ(with_slash.headers.at("location"), "../docs");
  EXPECT_EQ(client.send("GET", "/llms.txt", {{"Accept", "text/plain"}}).status, 200);
  EXPECT_EQ(client.send("GET", "/openapi.json", {{"Accept", "text/plain"}}).status, 406);
}

TEST(Reference, PagesRunNothingThatStandsInThem) {
  auto client = shared().client();
  for (const auto* path : {"/", "/docs"}) {
    const auto page = client.send("GET", path, {{"Accept", "text/html"}});
    const auto& policy = page.headers.at("content-security-policy");
    EXPECT_NE(policy.find("default-src 'none'"), std::string::npos) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
    EXPECT_EQ(policy.find("http"), std::string::npos) << policy;
    EXPECT_EQ(page.body.find("<script>"), std::string::npos) << path;
    EXPECT_EQ(page.body.find("<style"), std::string::npos) << path;
    EXPECT_EQ(page.body.find("://"), std::string::npos) << path << " names something elsewhere";
  }
}

} // namespace
} // namespace credence::test
