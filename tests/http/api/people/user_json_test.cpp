#include "http/api/people/user_cards.hpp"

#include <gtest/gtest.h>

namespace credence::http::v2 {
namespace {

const user_format plain{"https://rep.example", false};

std::string encoded(const people::user& who, const user_format& how = plain) {
  std::string out;
  json_writer to{out};
  encode(to, who, how);
  return out;
}

std::string wei(std::string_view digits) {
  std::string out;
  json_writer to{out};
  to.begin_object();
  encode_wei(to, "wei", "weiText", digits);
  to.end_object();
  return out;
}

TEST(UserJson, HasEveryFieldOfTheSpec) {
  people::user who;
  who.id = user_id{3};
  who.profile = profile_id{8};
  who.display_name = "Ada \"L\"";
  who.username = "ada";
  who.avatar_url = "https://img.example/a.png";
  who.description = "mathematician";
  who.score = 1711;
  who.status = people::user_status::active;
  who.userkeys = {"profileId:8", "service:x.com:42"};
  who.xp_total = 5000;
  who.xp_streak_days = 4;
  who.xp_removed_due_to_abuse = true;
  who.influence_factor = 2.75;
  who.influence_percentile = 99.1;
  who.verification = people::human_verification::pending;
  who.validator_nft_count = 1;
  who.holdings_wei = "0";
  who.reviews_negative = 1;
  who.reviews_neutral = 2;
  who.reviews_positive = 3;
  who.vouch_lifetime = {"10", "20", 1, 2};
  who.vouches_eth = {"11", "12", 3, 4};
  who.vouches_whuf = {"99999999999999999999", "0", 5, 6};
  EXPECT_EQ(
    encoded(who, {"https://rep.example", true}),
    R"({"id":3,"profileId":8,"displayName":"Ada \"L\"","username":"ada","avatarUrl":"https://img.example/a.png",)"
    R"("description":"mathematician","score":1711,"status":"ACTIVE","userkeys":["profileId:8","service:x.com:42"],)"
    R"("xpTotal":5000,"xpStreakDays":4,"xpRemovedDueToAbuse":true,"influenceFactor":2.75,)"
    R"("influenceFactorPercentile":99.1,"humanVerificationStatus":"PENDING","validatorNftCount":1,)"
    R"("links":{"profile":"https://rep.example/api/v2/user/by/profile-id/8",)"
    R"("scoreBreakdown":"https://rep.example/api/v2/score/breakdown?userkey=profileId:8"},)"
    R"("stats":{"holdingsWei":0,"holdingsWeiText":"0","review":{"received":{"negative":1,"neutral":2,"positive":3}},)"
    R"("vouch":{"given":{"amountWeiTotal":10,"amountWeiTotalText":"10","count":1},)"
    R"("received":{"amountWeiTotal":20,"amountWeiTotalText":"20","count":2}},)"
    R"("vouchTotals":[{"balance":{"given":11,"givenText":"11","received":12,"receivedText":"12"},"count":{"given":3,"received":4},)"
    R"("token":{"address":null,"decimals":18,"id":"eth"}},)"
    R"({"balance":{"given":99999999999999999999,"givenText":"99999999999999999999",)"
    R"("received":0,"receivedText":"0"},"count":{"given":5,"received":6},)"
    R"("token":{"address":null,"decimals":18,"id":"whuf"}}]}})");
}

TEST(UserJson, WritesNullWhereNothingIsKnown) {
  people::user who;
  who.id = user_id{9};
  const auto json = encoded(who);
  for (const auto* part :
       {R"("profileId":null)", R"("username":null)", R"("description":null)", R"("humanVerificationStatus":null)",
        R"("holdingsWei":null,"holdingsWeiText":null)", R"("status":"INACTIVE")", R"("userkeys":[])",
        R"("profile":"https://rep.example/api/v2/user/9")"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

TEST(UserJson, LeavesOutTheDeprecatedVouchStatistics) {
  EXPECT_EQ(encoded({}).find("\"vouch\":"), std::string::npos);
  settings::http how;
  EXPECT_EQ(iso_text(vouch_removed_at(how)), "2026-10-21T00:00:00.000Z") << "gone after 2026-10-20 ends";
  how.stats_vouch_removed_after = "soon";
  EXPECT_THROW(vouch_removed_at(how), std::invalid_argument);
}

TEST(UserJson, KeepsEveryDigitOfAnAmount) {
  EXPECT_EQ(wei(""), R"({"wei":0,"weiText":"0"})");
  for (const auto* digits : {"0", "9223372036854775807", "9223372036854775808",
                             "115792089237316195423570985008687907853269984665640564039457584007913129639935"})
    EXPECT_EQ(wei(digits), std::string{R"({"wei":)"} + digits + R"(,"weiText":")" + digits + "\"}");
}

} // namespace
} // namespace credence::http::v2
