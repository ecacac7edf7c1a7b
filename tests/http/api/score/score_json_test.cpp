#include "http/api/score/scores.hpp"

#include "actors/score/score_state.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

constexpr score::day today{std::chrono::year{2026} / 11 / 22};

std::string encoded(const score::score_inputs& inputs, score::score_options options = {}) {
  std::string out;
  json_writer to{out};
  encode(to, score::breakdown_of(inputs, today, options));
  return out;
}

bool holds(const std::string& json, std::string_view part) { return json.find(part) != std::string::npos; }

TEST(ScoreJson, ListsEveryElementWithItsRangesAndWhatItWasMadeOf) {
  score::score_inputs inputs;
  inputs.vouchers = 14;
  inputs.first_seen = today - std::chrono::days{400};
  inputs.penalties = {{slash_id{7}, score::penalty_reason::subject, 40},
                      {slash_id{9}, score::penalty_reason::author, 2}};
  const auto json = encoded(inputs);
  EXPECT_TRUE(json.starts_with(
    R"j({"score":1255,"elements":{"Ethereum Address Age (days)":{"element":{"name":"Ethereum Address Age (days)","type":"LookupInterval",)j"
    R"j("ranges":[{"start":0,"end":90,"score":0},{"start":90,"end":365,"score":1},{"start":365,"end":1461,"score":3},{"start":1461,"score":5}],)j"
    R"j("outOfRangeScore":0,"metadata":{"firstSeen":"2025-10-18"}},"raw":400,"weighted":3,"points":3,"error":false},)j"))
    << json;
  EXPECT_TRUE(holds(
    json,
    R"j("Twitter Account Age (days)":{"element":{"name":"Twitter Account Age (days)","type":"LookupInterval",)j"
    R"j("ranges":[{"start":0,"end":90,"score":-250},{"start":90,"end":365,"score":-50},{"start":365,"end":730,"score":0},)j"
    R"j({"start":1461,"score":5}],"outOfRangeScore":0,"metadata":{"account":null}},"raw":-1,"weighted":0,"points":0,)j"))
    << json;
  EXPECT_TRUE(holds(
    json,
    R"j("Number of Vouchers Impact":{"element":{"name":"Number of Vouchers Impact","type":"LookupNumber",)j"
    R"j("range":{"min":0,"max":270},"metadata":{"vouchers":14}},"raw":94.5,"weighted":94.5,"points":94,"error":false})j"))
    << json;
  EXPECT_TRUE(
    holds(json, R"j("metadata":{"count":2,"slashes":[7,9]}},"raw":-42,"weighted":-42,"points":-42,"error":false})j"))
    << json;
  EXPECT_TRUE(json.ends_with(
    R"j(,"metadata":{"startingScore":1200,"day":"2026-11-22","vouchModel":"standard","leftOut":)j"
    R"j(["Reputation Market Impact","Social Graph Bonus","Influence Bracket","Invitation Bond","Ether per Voucher"]},"errors":[]})j"))
    << json;
}

TEST(ScoreJson, NamesElementsAsPublicClientsReadThem) {
  const auto json = encoded({});
  std::size_t from = 0;
  for (const std::string name :
       {"Ethereum Address Age (days)", "Twitter Account Age (days)", "Review Impact", "Vouched Ethereum Impact",
        "Number of Vouchers Impact", "Mutual Vouch Bonus", "Vote Impact", "Unhealthy Vouches", "Slash Penalty",
        "Supporter Penalty", "Human Verified", "Inviter"}) {
    const auto at = json.find("\"" + name + "\":{\"element\":{\"name\":\"" + name + "\",", from);
    ASSERT_NE(at, std::string::npos) << name;
    from = at;
  }
  EXPECT_FALSE(holds(json, "Score Limits")) << "no bound was reached";
}

TEST(ScoreJson, CutsNumbersOffAfterTwelveDigits) {
  score::score_inputs inputs;
  inputs.vouchers = 16;
  inputs.votes_down = 1;
  inputs.vouches = {*parse_wei("1000000000000000000"),
                    *parse_wei("1000000000000000000") * (today - std::chrono::days{3}).time_since_epoch().count(),
                    *parse_wei("2000000000000000001"), today};
  const auto json = encoded(inputs, {score::vouch_model::hardened});
  EXPECT_TRUE(holds(json, R"j("raw":102.857142857142,"weighted":102.857142857142,"points":102,)j")) << json;
  EXPECT_TRUE(holds(
    json,
    R"j("metadata":{"weightUp":0,"weightDown":1}},"raw":-0.980392156862,"weighted":-0.980392156862,"points":0,)j"))
    << json;
  EXPECT_TRUE(holds(
    json,
    R"j("metadata":{"etherDays":363,"youngWei":"1000000000000000000","matureWei":"2000000000000000001"}},"raw":216.357615894039,)j"))
    << json;
  EXPECT_TRUE(holds(json, R"j("vouchModel":"hardened")j")) << json;
}

TEST(ScoreJson, ListsWhatABoundOfTheScoreGave) {
  score::score_inputs inputs;
  inputs.penalties = {{slash_id{1}, score::penalty_reason::subject, 2000}};
  const auto json = encoded(inputs);
  EXPECT_TRUE(json.starts_with(R"j({"score":0,)j")) << json;
  EXPECT_TRUE(holds(
    json,
    R"j("Score Limits":{"element":{"name":"Score Limits","type":"LookupNumber","range":{"min":-1090,"max":6770},)j"
    R"j("metadata":{"sum":-800}},"raw":800,"weighted":800,"points":800,"error":false})j"))
    << json;
}

TEST(ScoreJson, StartsWhereTheUserStarted) {
  score::score_inputs inputs;
  inputs.starting = 1750;
  const auto json = encoded(inputs);
  EXPECT_TRUE(json.starts_with(R"j({"score":1750,)j")) << json;
  EXPECT_TRUE(holds(json, R"j("metadata":{"startingScore":1750,)j")) << json;
}

template <class What>
std::string written(const What& answer) {
  std::string out;
  json_writer to{out};
  encode(to, answer);
  return out;
}

TEST(ScoreJson, SaysWhetherAScoreWaits) {
  EXPECT_EQ(written(score::progress::idle),
            R"j({"status":"idle","isQueued":false,"isCalculating":false,"isPending":false})j");
  EXPECT_EQ(written(score::progress::queued),
            R"j({"status":"queued","isQueued":true,"isCalculating":false,"isPending":true})j");
  EXPECT_EQ(written(score::progress::calculating),
            R"j({"status":"calculating","isQueued":false,"isCalculating":true,"isPending":true})j");
}

TEST(ScoreJson, TellsHistoryWithItsCausesAndThePointsThatThereAre) {
  std::vector<std::int32_t> points(score::element_count);
  points[static_cast<std::size_t>(score::element::reviews)] = -40;
  const score::score_history history{
    {{timestamp{today} + std::chrono::hours{5}, today, 1160, points, "api review 12"}}};
  EXPECT_EQ(written(history),
            R"j([{"date":"2026-11-22T05:00:00.000Z","score":1160,"day":"2026-11-22","cause":"api review 12",)j"
            R"j("points":{"Review Impact":-40}}])j");
  EXPECT_EQ(written(score::score_history{}), "[]");
}

TEST(ScoreJson, NamesWhoseScoreChangedByTheProfileFirst) {
  score::score_update who{user_id{5}, profile_id{8}, address{}, "service:x.com:7", timestamp{today}};
  EXPECT_EQ(written(who), R"j({"userkey":"profileId:8","lastUpdatedAt":"2026-11-22T00:00:00.000Z"})j");
  who.profile.reset();
  EXPECT_TRUE(holds(written(who), "address:0x0000000000000000000000000000000000000000"));
  who.wallet.reset();
  EXPECT_TRUE(holds(written(who), "service:x.com:7"));
}

} // namespace
} // namespace credence::http
