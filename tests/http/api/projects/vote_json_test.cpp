#include "http/api/projects/votes.hpp"

#include "http/call/parameters.hpp"

#include <gtest/gtest.h>

namespace credence::http::v2 {
namespace {

using project::sentiment;

timestamp at(std::string_view text) { return parse_moment(text, day_edge::start).value(); }

template <class Answer>
std::string encoded(const Answer& answer) {
  std::string out;
  json_writer to{out};
  encode(to, answer);
  return out;
}

const profile::vote_balance balance{2, 1, at("2026-04-01"), true};
const std::string balance_json =
  R"({"bullishVotesCast":2,"bearishVotesCast":1,"allocationResetDate":"2026-04-01T00:00:00.000Z","canVote":true})";

TEST(VoteJson, TellsAVoterWhatWasCast) {
  EXPECT_EQ(encoded(project::vote_receipt{sentiment::bearish, balance}),
            R"({"success":true,"message":"Your bearish vote has been cast.","newBalance":)" + balance_json
              + R"(,"userVote":{"voteType":"BEARISH"}})");
  EXPECT_EQ(encoded(project::vote_receipt{sentiment::bullish, std::nullopt}),
            R"({"success":true,"message":"Your bullish vote has been cast.","userVote":{"voteType":"BULLISH"}})");
}

TEST(VoteJson, TellsABalanceWithOrWithoutAVote) {
  EXPECT_EQ(encoded(profile::balance_view{balance, sentiment::bullish}),
            R"({"balance":)" + balance_json + R"(,"userVote":{"voteType":"BULLISH"}})");
  EXPECT_EQ(encoded(profile::balance_view{balance, std::nullopt}),
            R"({"balance":)" + balance_json + R"(,"userVote":null})");
}

TEST(VoteJson, CountsWhatAnAdvanceGaveOut) {
  period::allocation gave;
  gave.opened.year = 2026;
  gave.opened.number = 4;
  gave.allocations_created = 500;
  gave.total_votes_allocated = 20000;
  gave.users_affected = 500;
  EXPECT_EQ(encoded(gave), R"({"allocationsCreated":500,"totalVotesAllocated":20000,"usersAffected":500,)"
                           R"("message":"Voting period 4 of 2026 is open: 500 profiles may vote again."})");
}

TEST(VoteJson, KeysBulkTotalsByProfile) {
  const std::vector<project::profile_totals> totals{{profile_id{7}, 2, 0, {{"solid", 1}, {std::nullopt, 1}}, {}},
                                                    {profile_id{3}, 0, 0, {}, {}}};
  EXPECT_EQ(encoded(totals),
            R"({"7":{"totalBullishVotes":2,"totalBearishVotes":0,)"
            R"("bullishReasons":[{"voteReason":"solid","totalVotes":1},{"voteReason":null,"totalVotes":1}],)"
            R"("bearishReasons":[]},)"
            R"("3":{"totalBullishVotes":0,"totalBearishVotes":0,"bullishReasons":[],"bearishReasons":[]}})");
  EXPECT_EQ(encoded(std::vector<project::profile_totals>{}), "{}");
}

TEST(VoteJson, DrawsAChart) {
  EXPECT_EQ(encoded(std::vector<project::chart_point>{{at("2026-03-01"), 10, 4, 3, 1, 4}}),
            R"([{"timeBucket":"2026-03-01T00:00:00.000Z","totalBullishVotes":10,"totalBearishVotes":4,)"
            R"("bullishVotes":3,"bearishVotes":1,"uniqueVoters":4}])");
  EXPECT_EQ(encoded(std::vector<project::chart_point>{}), "[]");
}

TEST(VoteJson, ShowsAPageOfVotersWithTheirUsers) {
  people::people_index known;
  user_cards users{known, {}};
  voters_answer answer;
  answer.slice = {2, 40};
  answer.found.total = 42;
  answer.found.totals = {42, 30, 20, 31, 22};
  answer.found.entries = {{profile_id{7}, 1, 2, at("2026-03-01"), at("2026-03-02"), {{"x", 1}}, {{std::nullopt, 2}}},
                          {profile_id{8}, 1, 0, at("2026-03-01"), at("2026-03-01"), {{std::nullopt, 1}}, {}}};
  std::string out;
  {
    json_writer to{out};
    users.begin(user_cards::pass::first, at("2026-03-03"));
    encode(to, answer, users);
  }
  const auto missing = users.take_missing();
  ASSERT_EQ(missing.size(), 2u);
  people::user seven;
  seven.id = user_id{70};
  seven.profile = profile_id{7};
  users.begin(user_cards::pass::second, at("2026-03-03"));
  users.take(missing, std::vector<people::user_ptr>{std::make_shared<people::user>(seven), nullptr});
  std::string user;
  json_writer user_to{user};
  users.write(user_to, seven);

  out.clear();
  json_writer to{out};
  encode(to, answer, users);
  EXPECT_EQ(out, R"({"values":[{"user":)" + user
                   + R"(,"bullishCount":1,"bearishCount":2,"totalVotes":3,"firstVoteAt":"2026-03-01T00:00:00.000Z",)"
                     R"("lastVoteAt":"2026-03-02T00:00:00.000Z","bullishReasons":[{"voteReason":"x","totalVotes":1}],)"
                     R"("bearishReasons":[{"voteReason":null,"totalVotes":2}]},)"
                     R"({"user":null,"bullishCount":1,"bearishCount":0,"totalVotes":1,)"
                     R"("firstVoteAt":"2026-03-01T00:00:00.000Z","lastVoteAt":"2026-03-01T00:00:00.000Z",)"
                     R"("bullishReasons":[{"voteReason":null,"totalVotes":1}],"bearishReasons":[]}],)"
                     R"("total":42,"limit":2,"offset":40,"totals":{"totalVoters":42,"totalBullishVoters":30,)"
                     R"("totalBearishVoters":20,"totalBullishVotes":31,"totalBearishVotes":22}})");
}

} // namespace
} // namespace credence::http::v2
