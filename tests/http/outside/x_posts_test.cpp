#include "http/outside/x_posts.hpp"
#include "tests/each_of.hpp"
#include "tests/http/outside/post_server.hpp"

#include <gtest/gtest.h>

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
  out.timeout = 30s;
  return out;
}

struct XPostsNews : testing::Test {
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

/// The post in an answer, as text; `nothing`, or `flaw`.
std::string said(const std::string& body, std::string_view name = "ada") {
  const auto found = read_x_timeline(body, name);
  if (const auto* flaw = std::get_if<x_flaw>(&found)) {
    EXPECT_FALSE(flaw->why.empty());
    return "flaw";
  }
  const auto* post = std::get_if<news::post>(&found);
  if (!post)
    return "nothing";
  std::string out = post->id + " " + post->text + " " + iso_text(post->created_at) + " " + post->url;
  for (const auto count : {post->retweets, post->likes, post->replies, post->impressions})
    out += " " + std::to_string(count);
  return out;
}

/// A timeline of one post with these members besides its id, text and time.
std::string with(const std::string& more) {
  return R"({"data":[{"id":"17","text":"hi","created_at":"2026-03-01T12:00:00.000Z")" + more + "}]}";
}
const std::string plain = "17 hi 2026-03-01T12:00:00.000Z https://x.com/ada/status/17 ";

TEST(XNews, TheFirstPostOfATimelineIsTheNewest) {
  EXPECT_EQ(
    said(
      R"({"data":[{"public_metrics":{"retweet_count":1,"reply_count":3,"like_count":2,"quote_count":9,"impression_count":4},
    "edit_history_tweet_ids":["18"],"id":"18","created_at":"2026-03-01T14:00:00+02:00","text":"caf\u00e9 \"&amp;\"\n\u0000"},
    {"id":"17"}],"meta":{"result_count":2,"newest_id":"18"}})"),
    std::string("18 caf\xC3\xA9 \"&amp;\"\n") + '\0' + " 2026-03-01T12:00:00.000Z https://x.com/ada/status/18 1 2 3 4");
  EXPECT_EQ(said(with(""), ""), "17 hi 2026-03-01T12:00:00.000Z https://x.com/i/status/17 0 0 0 0");
}

TEST(XNews, CountsThatAreNotThereAreZero) {
  for (const auto* more :
       {"", R"(,"public_metrics":null)", R"(,"public_metrics":{})", R"(,"public_metrics":{"like_count":null})"})
    EXPECT_EQ(said(with(more)), plain + "0 0 0 0") << more;
  EXPECT_EQ(said(with(R"(,"public_metrics":{"like_count":9007199254740991})")), plain + "0 9007199254740991 0 0");
}

TEST(XNews, NoPostAndNoAccountAreNothing) {
  for (const auto* body :
       {R"({"meta":{"result_count":0}})", R"({"data":[],"meta":{"result_count":0}})",
        R"({"errors":[{"title":"Not Found Error","type":"https://api.twitter.com/2/problems/resource-not-found"}]})"}) {
    EXPECT_EQ(said(body), "nothing") << body;
  }
  EXPECT_TRUE(std::holds_alternative<x_nothing>(read_x_account(R"({"errors":[{"title":"Not Found Error"}]})")));
}

TEST(XNews, WhatMakesNoSenseIsAFlaw) {
  const auto rows = credence::test::texts(
    "", "{", "[]", "null", "17", "<html>", "\xFF", R"({})", R"({"data":null})", R"({"data":{}})", R"({"data":[17]})",
    R"({"data":[{}]})", R"({"meta":{"result_count":3}})", R"({"meta":{"result_count":"0"}})", R"({"meta":[]})",
    R"({"errors":[]})", R"({"errors":"none"})", with("") + "x", with(R"(,"public_metrics":[])"),
    with(R"(,"public_metrics":7)"), with(R"(,"public_metrics":{"like_count":"7"})"),
    with(R"(,"public_metrics":{"like_count":-1})"), with(R"(,"public_metrics":{"like_count":1.5})"),
    with(R"(,"public_metrics":{"like_count":18446744073709551615})"),
    R"({"data":)" + std::string(100, '[') + std::string(100, ']') + "}");
  for (const auto& each : rows)
    EXPECT_EQ(said(each), "flaw") << each;
  for (const auto* id : {"", "17a", "-17", "../17", "123456789012345678901", "１７"})
    EXPECT_EQ(said(R"({"data":[{"id":")" + std::string{id} + R"(","text":"hi","created_at":"2026-03-01T12:00:00Z"}]})"),
              "flaw")
      << id;
  EXPECT_EQ(said(R"({"data":[{"id":17,"text":"hi","created_at":"2026-03-01T12:00:00Z"}]})"), "flaw");
  for (const auto* when :
       {"", "yesterday", "2026-03-01", "2026-02-30T12:00:00Z", "2026-03-01T12:00:00", "1969-01-01T00:00:00Z",
        "9999-06-01T00:00:00Z", "99999-06-01T00:00:00Z", "2026-03-01T25:00:00Z"})
    EXPECT_EQ(said(R"({"data":[{"id":"17","text":"hi","created_at":")" + std::string{when} + R"("}]})"), "flaw")
      << when;
  EXPECT_EQ(said(R"({"data":[{"id":"17","text":["hi"],"created_at":"2026-03-01T12:00:00Z"}]})"), "flaw");
  EXPECT_EQ(said(R"({"data":[{"id":"17","created_at":"2026-03-01T12:00:00Z"}]})"), "flaw");
  EXPECT_EQ(
    said(R"({"data":[{"id":"17","text":")" + std::string(8193, 'a') + R"(","created_at":"2026-03-01T12:00:00Z"}]})"),
    "flaw");
}

TEST(XNews, AnAccountIsNamedByDigits) {
  const auto found = read_x_account(R"({"data":{"id":"2244994945","name":"Ada","username":"ada"}})");
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_EQ(std::get<std::string>(found), "2244994945");
  for (const auto* odd : {"", "{}", "[]", R"({"data":[]})", R"({"data":{}})", R"({"data":{"id":7}})",
                          R"({"data":{"id":"7/.."}})", R"({"data":{"id":""}})", R"({"data":"7"})"})
    EXPECT_TRUE(std::holds_alternative<x_flaw>(read_x_account(odd))) << odd;
}

} // namespace
} // namespace credence::http
