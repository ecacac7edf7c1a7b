#include "http/api/projects/projects.hpp"

#include <gtest/gtest.h>

namespace credence::http::v2 {
namespace {

using project::sentiment;

timestamp at(std::string_view text) { return parse_moment(text, day_edge::start).value(); }

struct ListingJson : testing::Test {
  people::people_index known;
  user_cards users{known, {}};

  void SetUp() override { users.begin(user_cards::pass::first, at("2026-03-01")); }

  static people::user_ptr user(std::int32_t number) {
    people::user out;
    out.id = user_id{number};
    out.profile = profile_id{number};
    return std::make_shared<const people::user>(out);
  }
  std::string json_of(std::int32_t number) {
    std::string out;
    json_writer to{out};
    users.write(to, *user(number));
    return out;
  }
  static std::shared_ptr<listing::listing_core> core(std::int32_t number) {
    auto out = std::make_shared<listing::listing_core>();
    out->id = project_id{number};
    out->userkey = "service:x.com:" + std::to_string(number);
    out->created_at = at("2026-01-01");
    out->updated_at = at("2026-02-01");
    out->user = user(number);
    return out;
  }

  /// The answer as a client gets it, after the users it needs have been fetched.
  template <class Answer>
  std::string encoded(const Answer& answer) {
    std::string out;
    {
      json_writer to{out};
      users.begin(user_cards::pass::first, at("2026-03-01"));
      encode(to, answer, users);
    }
    const auto missing = users.take_missing();
    std::vector<people::user_ptr> came;
    for (const auto& each : missing)
      came.push_back(user(each.who.value));
    users.begin(user_cards::pass::second, at("2026-03-01"));
    users.take(missing, came);
    out.clear();
    json_writer to{out};
    encode(to, answer, users);
    return out;
  }

  static listing::listed with(listing::core_ptr core, project::project_summary votes) {
    return listing::listed{std::move(core), std::make_shared<const project::project_summary>(std::move(votes))};
  }
};

const std::string no_votes =
  R"("bullish":{"topVoters":[],"total":0,"uniqueVoters":0},)"
  R"("bearish":{"topVoters":[],"total":0,"uniqueVoters":0},"all":{"total":0,"uniqueVoters":0})";

TEST_F(ListingJson, ShowsEveryFieldOfAListing) {
  const auto full = core(3);
  full->banner_image_url = "https://img.example/b.png";
  full->is_promoted = true;
  full->description = "A listing";
  full->categories = {{1, "DeFi", "defi", std::nullopt}};
  full->chains = {{2, "Base", "https://base.example", std::nullopt}};
  full->comment_count = 9;
  project::project_summary votes;
  votes.in_period.bullish = {{profile_id{11}}, 5, 4};
  votes.in_period.total = 5;
  votes.in_period.unique_voters = 4;
  const auto row = with(full, votes);
  listings_answer answer;
  answer.found.projects = {row};
  answer.found.total = 1;
  EXPECT_EQ(encoded(answer),
            R"({"projects":[{"id":3,"userkey":"service:x.com:3","status":"ACTIVE",)"
            R"("bannerImageUrl":"https://img.example/b.png","isPromoted":true,"showArchived":false,)"
            R"("description":"A listing","createdAt":"2026-01-01T00:00:00.000Z",)"
            R"("updatedAt":"2026-02-01T00:00:00.000Z","user":)"
              + json_of(3) + R"(,"votes":{"bullish":{"topVoters":[)" + json_of(11)
              + R"(],"total":5,"uniqueVoters":4},"bearish":{"topVoters":[],"total":0,"uniqueVoters":0},)"
                R"("all":{"total":5,"uniqueVoters":4},"lifetime":{)"
              + no_votes
              + R"(}},"categories":[{"id":1,"name":"DeFi","slug":"defi","description":null}],)"
                R"("chains":[{"id":2,"name":"Base","url":"https://base.example","iconUrl":null}],"commentCount":9}],)"
                R"("archivedProjects":[],"total":1,"topMovers":[]})");
}

TEST_F(ListingJson, AddsSparklineAndDeltasOnlyWhenAskedFor) {
  project::project_summary votes;
  votes.sparkline = {{std::chrono::sys_days{std::chrono::year{2026} / 2 / 28}, 62.5}};
  votes.deltas = {{1, -2.5}, {7, 4}};
  const auto row = with(core(3), votes);
  listings_answer answer;
  answer.found.projects = {row};
  const auto plain = encoded(answer);
  EXPECT_EQ(plain.find("sparkline"), std::string::npos);
  EXPECT_EQ(plain.find("deltas"), std::string::npos);
  answer.with_sparkline = answer.with_deltas = true;
  const auto both = encoded(answer);
  EXPECT_NE(both.find(R"("sparkline":[{"date":"2026-02-28","bullishPercent":62.5}],"deltas":{"1":-2.5,"7":4})"),
            std::string::npos)
    << both;
}

TEST_F(ListingJson, TellsTheCallersVotesOfThatPeriodOnActiveListings) {
  listings_answer answer;
  answer.found.in.id = period_id{4};
  answer.found.projects = {listing::listed{core(3)}, listing::listed{core(5)}};
  answer.found.archived_projects = {listing::listed{core(6)}};
  EXPECT_EQ(encoded(answer).find("currentUserVoteHistory"), std::string::npos) << "nobody is signed in";
  answer.own = {{project_id{3}, period_id{4}, sentiment::bearish}, {project_id{5}, period_id{3}, sentiment::bullish}};
  const auto json = encoded(answer);
  const auto first = json.find(R"("currentUserVoteHistory":{"bullishVotesCast":0,"bearishVotesCast":1})");
  const auto second = json.find(R"("currentUserVoteHistory":{"bullishVotesCast":0,"bearishVotesCast":0})");
  EXPECT_LT(first, second) << json;
  EXPECT_LT(second, json.find("archivedProjects")) << json;
  EXPECT_EQ(json.find("currentUserVoteHistory", json.find("archivedProjects")), std::string::npos);
}

TEST_F(ListingJson, LeavesOutABannerAndDescriptionThatAreNotThere) {
  const auto archived = core(6);
  archived->archived = archived->show_archived = true;
  listings_answer answer;
  answer.found.archived_projects = {listing::listed{archived}};
  const auto json = encoded(answer);
  EXPECT_NE(json.find(R"("status":"ARCHIVED","isPromoted":false,"showArchived":true,"createdAt")"), std::string::npos);
}

TEST_F(ListingJson, ShowsWhatMoved) {
  const auto moved = core(3);
  moved->links = {{listing::link_type::website, "https://a.example"},
                  {listing::link_type::discord, "https://d.example"}};
  listings_answer answer;
  answer.found.top_movers = {{moved, -12.5}};
  const auto json = encoded(answer);
  EXPECT_NE(json.find(R"("user":)" + json_of(3)
                      + R"(,"categories":[],"chains":[],"commentCount":0,)"
                        R"("links":[{"type":"WEBSITE","url":"https://a.example"},)"
                        R"({"type":"DISCORD","url":"https://d.example"}],"percentagePointChange":-12.5}]})"),
            std::string::npos)
    << json;
}

TEST_F(ListingJson, ShowsAProjectWithItsVotesAndLinksAndItsTeamWithRoles) {
  const auto mine = core(3);
  mine->links = {{listing::link_type::telegram, "https://t.example/x"}};
  const std::string project =
    R"({"id":3,"userkey":"service:x.com:3","status":"ACTIVE","isPromoted":false,"showArchived":false,)"
    R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-02-01T00:00:00.000Z","user":)"
    + json_of(3) + R"(,"votes":{)" + no_votes
    + R"(},"categories":[],"chains":[],"commentCount":0,"links":[{"type":"TELEGRAM","url":"https://t.example/x"}]})";
  EXPECT_EQ(encoded(project_answer{listing::listed{mine}}), project);
  EXPECT_EQ(encoded(projects_answer{{{listing::listed{mine}}, 7}}), R"({"projects":[)" + project + R"(],"total":7})");
  const team_answer team{{{{profile_id{1}, "founder", true}, {profile_id{2}, std::nullopt, false}}}};
  const auto open = [](std::string object) { return object.substr(0, object.size() - 1); };
  EXPECT_EQ(encoded(team), "[" + open(json_of(1)) + R"(,"role":"founder","isManager":true},)" + open(json_of(2))
                             + R"(,"role":null,"isManager":false}])");
}

TEST_F(ListingJson, ShowsOneListingWithItsTeam) {
  const auto mine = core(3);
  mine->team = {profile_id{1}, profile_id{2}};
  listing_answer answer;
  project::project_summary votes;
  votes.in_period.top_voters = {profile_id{2}};
  votes.in_period.total = 8;
  votes.in_period.unique_voters = 7;
  answer.found = with(mine, votes);
  const std::string head =
    R"({"project":{"id":3,"userkey":"service:x.com:3","status":"ACTIVE","isPromoted":false,"showArchived":false,)"
    R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-02-01T00:00:00.000Z","user":)"
    + json_of(3)
    + R"(,"categories":[],"chains":[],"commentCount":0,"links":[]},"topVoters":{)"
      R"("bullish":{"topVoters":[],"total":0,"uniqueVoters":0},)"
      R"("bearish":{"topVoters":[],"total":0,"uniqueVoters":0},"all":{"topVoters":[)"
    + json_of(2) + R"(],"total":8,"uniqueVoters":7}})";
  const std::string tail = R"(,"team":[)" + json_of(1) + "," + json_of(2) + "]}";
  EXPECT_EQ(encoded(answer), head + tail);
  answer.own = profile::balance_view{{1, 0, at("2026-04-01"), false}, sentiment::bullish};
  EXPECT_EQ(encoded(answer), head
                               + R"(,"currentUsersVotes":{"balance":{"bullishVotesCast":1,"bearishVotesCast":0,)"
                                 R"("allocationResetDate":"2026-04-01T00:00:00.000Z","canVote":false},)"
                                 R"("projectHistory":{"bullishVotesCast":1,"bearishVotesCast":0}})"
                               + tail);
}

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
