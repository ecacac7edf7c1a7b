#include "http/admin/analysis_json.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using integrity::analysis;
using integrity::analysis_state;
using integrity::found_group;
using integrity::sign;

std::string text_of(const analysis& how) {
  std::string out;
  json_writer to{out};
  encode(to, how);
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

found_group group(std::vector<sign> signs) {
  found_group out;
  out.members = {{7, 1'700'000'000}, {9, 1'700'000'500}};
  for (const auto each : signs)
    out.signs.push_back({each, 40.5, 1});
  out.decades = 30;
  return out;
}

TEST(AnalysisJson, TellsOfNoneThatThereIsNone) {
  const auto text = text_of({});
  EXPECT_TRUE(
    has(text, R"("state":"none","startedAt":null,"endedAt":null,"share":0,"error":null,"foundAt":null,"votes":null)"))
    << text;
  EXPECT_TRUE(has(text, R"("groups":[],"reciprocal":[],"bursts":[],"sameSecond":[],"fresh":[]})")) << text;
}

TEST(AnalysisJson, PutsEachGroupIntoOneList) {
  analysis how;
  how.state = analysis_state::done;
  integrity::findings found;
  found.groups = {group({sign::same_seconds, sign::reciprocal}), group({sign::burst}), group({sign::reciprocal}),
                  group({sign::fresh_alike}), group({sign::same_seconds})};
  for (std::size_t i = 0; i < found.groups.size(); ++i)
    found.groups[i].members.front().profile = static_cast<std::int32_t>(i + 1);
  how.found = std::make_shared<const integrity::findings>(std::move(found));
  const auto text = text_of(how);
  for (const auto* each : {R"("groups":[{"id":"1-2")", R"("bursts":[{"id":"2-2")", R"("reciprocal":[{"id":"3-2")",
                           R"("fresh":[{"id":"4-2")", R"("sameSecond":[{"id":"5-2")"})
    EXPECT_TRUE(has(text, each)) << each << " in " << text;
}

TEST(AnalysisJson, TellsWhoDidWhatWhenAndHowUnlikelyThatIs) {
  auto of = group({sign::same_seconds});
  of.mutual = {1, 0, 0};
  of.moments = {
    {integrity::vote_seen::cause_of({31}, true), 1'700'001'000, 1'700'001'002, {profile_id{7}, profile_id{9}}}};
  of.moments_all = 8;
  analysis how;
  integrity::findings found;
  found.groups = {of};
  how.found = std::make_shared<const integrity::findings>(found);
  const auto text = text_of(how);
  EXPECT_TRUE(has(text, R"("profiles":[7,9],"size":2)")) << text;
  EXPECT_TRUE(
    has(text, "2 profiles that voted together within seconds 8 times; chance does this less than once in 10^30"))
    << text;
  EXPECT_TRUE(
    has(text, R"({"text":"2 members voted bullish on project 31 within 3 seconds","at":1700001000000,"projectId":31})"))
    << text;
  EXPECT_TRUE(has(text, R"({"text":"1 pair review each other"})")) << text;
  EXPECT_TRUE(has(text, R"("firstAt":1700001000000,"lastAt":1700001002000)")) << text;
}

} // namespace
} // namespace credence::http
