#include "tests/http/outside/post_server.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <stdexcept>

namespace credence::test {
namespace {

const std::string path = "/api/v1/markets/news";
const std::string token = "t0ken-of-the-source";

/// The service with markets on the profiles 2 to 8, which is started anew, and so knows nothing, by each test.
service& with_markets() {
  return shared_service([](service& made) {
    made.start();
    for (int profile = 2; profile <= 8; ++profile) {
      const auto deposit = R"({"profileId":)" + std::to_string(profile) + R"(,"amount":"1000000000000000000"})";
      if (made.client().post("/api/v2/markets/deposits", deposit, made.token(1)).status != 200
          || made.client().post("/api/v2/markets", R"({"configType":"NORMAL"})", made.token(profile)).status != 200)
        throw std::runtime_error("no market could be opened");
    }
    made.database().sql(
      "UPDATE attestations SET archived = true WHERE service = 'x.com' AND user_id = 8;"
      "UPDATE attestations SET account = 'by_name', username = 'by_name' WHERE service = 'x.com' AND user_id = 7;"
      "UPDATE attestations SET username = NULL WHERE service = 'x.com' AND user_id = 6");
  });
}

struct MarketNews : testing::Test {
  void start(const std::vector<std::string>& more = {}) {
    if (server.running())
      server.terminate();
    std::vector<std::string> flags{"--news-base-url", source.url(), "--news-token", token, "--news-timeout", "30000"};
    flags.insert(flags.end(), more.begin(), more.end());
    server.start(flags);
  }
  static std::string account(int profile) {
    return with_markets()
      .database()
      .sql("SELECT account FROM attestations WHERE service = 'x.com' AND user_id = " + std::to_string(profile))
      .substr(0, 19);
  }
  http_response ask(const std::string& body) {
    return server.client().send("POST", path, {{"Content-Type", "application/json"}, {"X-Service-Client", "tests@1"}},
                                body);
  }
  /// `profile:text` of each item, `-` for null.
  std::string news(const std::string& body) {
    const auto answer = ok(ask(body));
    std::string out;
    const std::string begins = R"({"marketProfileId":)";
    for (auto at = answer.body.find(begins); at != std::string::npos; at = answer.body.find(begins, at + 1)) {
      const auto item = answer.body.substr(at, answer.body.find(begins, at + 1) - at);
      const auto text = item.find(R"("text":")");
      out += (out.empty() ? "" : " ") + item.substr(begins.size(), item.find(',') - begins.size()) + ":"
             + (text == std::string::npos ? "-" : item.substr(text + 8, item.find('"', text + 8) - text - 8));
      EXPECT_EQ(text == std::string::npos, item.find(R"("tweet":null})") != std::string::npos) << item;
    }
    return out;
  }
  /// Waits until that is the news: a look-up that takes longer than a request waits goes on.
  bool becomes(const std::string& body, const std::string& wanted) {
    std::string last;
    const bool good = comes_true([&] { return (last = news(body)) == wanted; });
    if (!good)
      ADD_FAILURE() << body << " is " << last << ", not " << wanted;
    return good;
  }
  std::string metrics() { return http_client{server.operator_port()}.get("/metrics").body; }
  void expect_metric(const std::string& line) {
    std::string all;
    EXPECT_TRUE(comes_true([&] { return (all = metrics()).find("\n" + line + "\n") != std::string::npos; }))
      << line << "\n"
      << all.substr(std::min(all.find("credence_news"), all.size()), 2000);
  }

  service& server = with_markets();
  post_server source;
};

TEST_F(MarketNews, AreTheNewestPostsInTheOrderAsked) {
  start({"--http-rate-limits", "true"});
  source.post(account(2), "two");
  source.post(account(6), "six");
  source.answer("/2/users/by/username/by_name", R"({"data":{"id":"77","username":"by_name"}})");
  source.post("77", "seven");
  ASSERT_TRUE(becomes("[2]", "2:two"));
  const auto answer = ask("[2]");
  const auto handle =
    with_markets().database().sql("SELECT username FROM attestations WHERE service = 'x.com' AND user_id = 2");
  EXPECT_EQ(answer.body, R"({"ok":true,"data":[{"marketProfileId":2,"tweet":{"id":"1800000000000000001","text":"two",)"
                         R"("createdAt":"2026-03-01T12:00:00.000Z","url":"https://x.com/)"
                           + handle.substr(0, handle.find('\n'))
                           + R"(/status/1800000000000000001",)"
                             R"("retweets":1,"likes":2,"replies":3,"impressions":4}}]})");
  EXPECT_NE(answer.headers.find("deprecation"), answer.headers.end()) << "as everything below /api/v1";
  EXPECT_TRUE(has(answer.headers.at("ratelimit-policy"), "\"read\""));
  EXPECT_TRUE(becomes("[6]", "6:six"));
  EXPECT_TRUE(has(ask("[6]").body, "https://x.com/i/status/1800000000000000002"));
  EXPECT_TRUE(becomes("[7, 3, 9, 2, 8, 999999, 6, 7]", "7:seven 3:- 9:- 2:two 8:- 999999:- 6:six 7:seven"));
  ASSERT_TRUE(source.waits_for(5));
  EXPECT_EQ(source.requests(), 5u) << "2, 6, the name of 7 and 7, and 3";
  EXPECT_TRUE(has(source.asked().front(), "Authorization: Bearer " + token));
  EXPECT_FALSE(has(server.log(), token));
}

TEST_F(MarketNews, AreKeptAlsoThatThereAreNone) {
  start();
  source.post(account(2), "first");
  source.answer(post_server::timeline(account(4)), "", "404 Not Found");
  news("[2,3,4]");
  expect_metric(R"(credence_news_lookups_total{result="found"} 1)");
  expect_metric(R"(credence_news_lookups_total{result="none"} 2)");
  source.post(account(2), "second");
  source.post(account(3), "new");
  EXPECT_EQ(news("[4,3,2]"), "4:- 3:- 2:first");
  EXPECT_EQ(source.requests(), 3u);
  expect_metric("credence_news_cache_hits_total 3");
  expect_metric("credence_news_breaker 0");
}

TEST_F(MarketNews, ThatCannotBeHadAreNullBesideTheOthers) {
  start();
  source.post(account(2), "two");
  source.answer(post_server::timeline(account(3)), "{}", "500 Internal Server Error");
  source.answer(post_server::timeline(account(4)), R"({"data":[{"id":"<script>"}]})");
  EXPECT_TRUE(becomes("[3,2,4]", "3:- 2:two 4:-"));
  expect_metric(R"(credence_news_lookups_total{result="failed"} 2)");
}

TEST_F(MarketNews, OfASlowSourceAreNullUntilTheyAreThere) {
  start();
  source.post(account(2), "two");
  source.post(account(3), "three");
  source.hold(post_server::timeline(account(3)));
  EXPECT_TRUE(becomes("[2,3]", "2:two 3:-"));
  source.release();
  EXPECT_TRUE(becomes("[2,3]", "2:two 3:three")) << "the look-up went on";
  EXPECT_EQ(source.requests(), 2u);
}

TEST_F(MarketNews, RequestsShareALookUp) {
  start();
  source.post(account(2), "two");
  source.hold(post_server::timeline(account(2)));
  std::vector<std::jthread> clients;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      good +=
        comes_true([&] { return server.client().post(path, "[2]").body.find("two") != std::string::npos; }) ? 1 : 0;
    });
  ASSERT_TRUE(source.waits_for(1));
  source.release();
  clients.clear();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(source.requests(), 1u);
}

TEST_F(MarketNews, OfASourceThatFailsAgainAndAgainAreNotAskedFor) {
  start();
  source.otherwise("{}", "503 Service Unavailable");
  for (const auto* each : {"[2]", "[3]", "[4]", "[5]"})
    news(each);
  expect_metric(R"(credence_news_lookups_total{result="failed"} 4)");
  expect_metric("credence_news_breaker 0");
  news("[6]");
  expect_metric("credence_news_breaker 1");
  EXPECT_EQ(source.requests(), 5u);
  EXPECT_EQ(news("[7,2]"), "7:- 2:-");
  EXPECT_EQ(source.requests(), 5u);
  expect_metric("credence_news_turned_away_total 1");
  EXPECT_TRUE(server.logs("news_source_suspended")) << server.log();
}

TEST_F(MarketNews, OfASourceThatWantsAPauseAreNotAskedFor) {
  start();
  source.otherwise("{}", "429 Too Many Requests\r\nRetry-After: 600");
  EXPECT_EQ(news("[2]"), "2:-");
  expect_metric(R"(credence_news_lookups_total{result="limited"} 1)");
  EXPECT_EQ(news("[3]"), "3:-");
  EXPECT_EQ(source.requests(), 1u);
}

TEST_F(MarketNews, AreNullWhereNoSourceIsSetUp) {
  if (server.running())
    server.terminate();
  server.start();
  EXPECT_EQ(news("[2,3]"), "2:- 3:-");
  EXPECT_FALSE(has(metrics(), "credence_news_lookups_total"));
}

TEST_F(MarketNews, RefuseWhatIsNoListOfProfileIds) {
  if (!server.running())
    server.start();
  const auto message = [&](const std::string& body) {
    const auto answer = ask(body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(json_text(answer.body, "/error/code"), "VALIDATION_ERROR") << answer.body;
    return json_text(answer.body, "/error/message");
  };
  EXPECT_EQ(message("[]"), "the body must be a JSON array of 1 to 500 profile ids, not of 0");
  EXPECT_EQ(message(R"({"profileIds":[2]})"), "the body must be a JSON array of 1 to 500 profile ids, not an object");
  EXPECT_EQ(message("[2,-3]"), "profile ids must be whole numbers from 1 to 2147483647, not -3 at index 1");
  EXPECT_EQ(message("[2147483648]"),
            "profile ids must be whole numbers from 1 to 2147483647, not 2147483648 at index 0");
  EXPECT_EQ(message(R"(["2"])"), "profile ids must be whole numbers from 1 to 2147483647, not \"2\" at index 0");
  std::string many = "[1";
  for (int i = 1; i < 501; ++i)
    many += ",1";
  EXPECT_EQ(message(many + "]"), "the body must be a JSON array of 1 to 500 profile ids, not of 501");
  many = "[1";
  for (int i = 1; i < 500; ++i)
    many += ",1";
  EXPECT_EQ(ask(many + "]").status, 200);
}

TEST_F(MarketNews, StopWithALookUpUnderWay) {
  start();
  source.hold(post_server::timeline(account(2)));
  EXPECT_EQ(news("[2]"), "2:-");
  EXPECT_EQ(server.terminate(), 0);
}

TEST_F(MarketNews, SettingsAreCheckedAtTheStart) {
  const auto wrong = server.command({"config", "check", "--news-base-url", "http://api.x.com", "--news-token", token});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(has(wrong.err, "news.base_url is 'http://api.x.com', but must be an https:// URL"));
  const auto shown = server.command({"config", "show", "--news-base-url", source.url(), "--news-token", token});
  EXPECT_TRUE(has(shown.out, "news.token = ***"));
  EXPECT_FALSE(has((shown.out + shown.err + wrong.out + wrong.err), token));
}

} // namespace
} // namespace credence::test
