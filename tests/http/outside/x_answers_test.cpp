#include "http/outside/x_posts.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

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
  const std::string rows[]{
    "",
    "{",
    "[]",
    "null",
    "17",
    "<html>",
    "\xFF",
    R"({})",
    R"({"data":null})",
    R"({"data":{}})",
    R"({"data":[17]})",
    R"({"data":[{}]})",
    R"({"meta":{"result_count":3}})",
    R"({"meta":{"result_count":"0"}})",
    R"({"meta":[]})",
    R"({"errors":[]})",
    R"({"errors":"none"})",
    with("") + "x",
    with(R"(,"public_metrics":[])"),
    with(R"(,"public_metrics":7)"),
    with(R"(,"public_metrics":{"like_count":"7"})"),
    with(R"(,"public_metrics":{"like_count":-1})"),
    with(R"(,"public_metrics":{"like_count":1.5})"),
    with(R"(,"public_metrics":{"like_count":18446744073709551615})"),
    R"({"data":)" + std::string(100, '[') + std::string(100, ']') + "}",
  };
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
