#include "http/outside/x_posts.hpp"

#include "tests/http/outside/post_server.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace credence::http {
namespace {

using namespace std::chrono_literals;
using news::looked_up;
using result = looked_up::result;
using test::post_server;

settings::news at(const std::string& url) {
  settings::news out;
  out.base_url = url;
  out.token = secret{"s3cret"};
  out.timeout = 10s;
  return out;
}

class XPostsNews : public testing::Test {
protected:
  looked_up look(const news::account& whose) { return posts.newest_of(whose); }

  post_server server;
  std::atomic<bool> given_up{false};
  x_posts posts{at(server.url() + "/"), given_up};
};

TEST_F(XPostsNews, AreAskedForByIdWithTheToken) {
  server.post("17", "hello");
  const auto came = look({"17", "ada"});
  ASSERT_EQ(came.outcome, result::found) << came.why;
  EXPECT_EQ(came.newest->text, "hello");
  EXPECT_EQ(came.newest->url, "https://x.com/ada/status/" + came.newest->id);
  EXPECT_EQ(came.newest->impressions, 4);
  const auto question = server.asked();
  ASSERT_EQ(question.size(), 1u);
  EXPECT_TRUE(question[0].starts_with(
    "GET /2/users/17/tweets?max_results=5&exclude=retweets,replies&tweet.fields=created_at,public_metrics HTTP/1.1"))
    << question[0];
  EXPECT_NE(question[0].find("Authorization: Bearer s3cret\r\n"), std::string::npos);
}

TEST_F(XPostsNews, OfAnAccountKnownByNameTakeTwoQuestions) {
  server.answer("/2/users/by/username/ada", R"({"data":{"id":"17","username":"ada"}})");
  server.post("17", "hello");
  const auto came = look({"", "ada"});
  ASSERT_EQ(came.outcome, result::found) << came.why;
  EXPECT_EQ(came.newest->url, "https://x.com/ada/status/" + came.newest->id);
  EXPECT_EQ(server.requests(), 2u);
  server.answer("/2/users/by/username/ada", R"({"errors":[{"title":"Not Found Error"}]})");
  EXPECT_EQ(look({"", "ada"}).outcome, result::none);
  server.answer("/2/users/by/username/ada", R"({"data":{"id":"17/../18"}})");
  EXPECT_EQ(look({"", "ada"}).outcome, result::failed);
  EXPECT_EQ(server.requests(), 4u) << "and no further question";
}

TEST_F(XPostsNews, AreNoneWhereThereAreNone) {
  EXPECT_EQ(look({"17", ""}).outcome, result::none);
  server.answer(post_server::timeline("17"), "gone", "404 Not Found");
  EXPECT_EQ(look({"17", ""}).outcome, result::none);
}

TEST_F(XPostsNews, FailWithWhatWasWrong) {
  const auto failure = [&](std::string body, const std::string& head) {
    server.answer(post_server::timeline("17"), std::move(body), head);
    const auto came = look({"17", ""});
    EXPECT_EQ(came.outcome, result::failed) << head;
    EXPECT_EQ(came.why.find("s3cret"), std::string::npos);
    return came.why;
  };
  EXPECT_EQ(failure("oops", "500 Internal Server Error"), "the source answered 500");
  EXPECT_EQ(failure("", "401 Unauthorized"), "the source answered 401");
  EXPECT_EQ(failure("", "302 Found\r\nLocation: /elsewhere"), "the source answered 302");
  EXPECT_EQ(failure("<html>", "200 OK"), "the timeline is not a JSON object");
  EXPECT_NE(failure(std::string(x_posts::body_bytes_max + 1, ' '), "200 OK"), "");
  const auto before = server.requests();
  given_up = true;
  EXPECT_NE(failure("{}", "200 OK"), "");
  EXPECT_LE(server.requests(), before + 1);
  const std::atomic<bool> going_on{false};
  x_posts nobody{at("http://127.0.0.1:1"), going_on};
  EXPECT_EQ(nobody.newest_of({"17", ""}).outcome, result::failed);
}

TEST_F(XPostsNews, FailWhenNoAnswerComesInTime) {
  server.hold(post_server::timeline("17"));
  auto how = at(server.url());
  how.timeout = 100ms;
  x_posts hasty{how, given_up};
  EXPECT_EQ(hasty.newest_of({"17", ""}).outcome, result::failed);
}

TEST_F(XPostsNews, SayHowLongNotToAsk) {
  const auto pause = [&](const std::string& head) {
    server.answer(post_server::timeline("17"), "", head);
    const auto came = look({"17", ""});
    EXPECT_EQ(came.outcome, result::limited) << head;
    return came.pause;
  };
  EXPECT_EQ(pause("429 Too Many Requests\r\nRetry-After: 7"), 7s);
  EXPECT_EQ(pause("503 Service Unavailable\r\nRetry-After: 9"), 9s);
  EXPECT_EQ(pause("429 Too Many Requests"), 0s);
  EXPECT_EQ(pause("429 Too Many Requests\r\nx-rate-limit-reset: 1"), 0s) << "that was long ago";
  EXPECT_EQ(pause("429 Too Many Requests\r\nx-rate-limit-reset: soon"), 0s);
  EXPECT_GT(pause("429 Too Many Requests\r\nx-rate-limit-reset: 99999999999"), 24h);
}

TEST(NewsSettings, AreAllThereOrNone) {
  EXPECT_TRUE(news_mistakes({}).empty());
  for (const auto* good : {"https://api.x.com", "https://api.x.com/", "https://proxy.example:8443/x",
                           "http://127.0.0.1:9", "http://localhost", "http://[::1]:1/"})
    EXPECT_TRUE(news_mistakes(at(good)).empty()) << good;
  const auto mistake = [](settings::news with) {
    const auto all = news_mistakes(with);
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? std::string{} : all.front();
  };
  EXPECT_NE(mistake(at("http://api.x.com")).find("http:// is for this machine alone"), std::string::npos);
  for (const auto* bad : {"api.x.com", "ftp://api.x.com", "https://", "https://user@api.x.com", "https://api.x.com/#a",
                          "https://a b", "https://api.x.com?a=1"})
    EXPECT_EQ(mistake(at(bad)).find("news.base_url is '" + std::string{bad} + "', but must be "), 0u);
  auto without = at("https://api.x.com");
  without.token = secret{};
  EXPECT_NE(mistake(without).find("news.token is empty"), std::string::npos);
  auto odd = at("https://api.x.com");
  odd.token = secret{"a\r\nHost: b"};
  EXPECT_EQ(mistake(odd), "news.token is ***, but must be visible ASCII characters without blanks");
  auto alone = at("");
  EXPECT_NE(mistake(alone).find("news.base_url is empty"), std::string::npos);
}

} // namespace
} // namespace credence::http
