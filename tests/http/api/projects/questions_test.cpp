#include "http/api/projects/questions.hpp"

#include <gtest/gtest.h>

namespace credence::http::v2 {
namespace {

using project::scope_kind;
using project::sentiment;

constexpr profile_id caller{7};

/// What a reader makes of a query, and all it complains about.
template <class Read>
auto read(const query_map& query, std::vector<std::string>& issues, Read reader) {
  parameters given{query};
  auto out = reader(given);
  issues = given.good() ? std::vector<std::string>{} : given.why().issues;
  return out;
}

struct Questions : testing::Test {
  std::vector<std::string> issues;

  project::scope scope(const query_map& query) { return read(query, issues, &read_scope); }
  project::cast_vote vote(std::string_view body, std::string_view project = "12") {
    return read({}, issues, [&](parameters& p) { return read_vote(p, project, body, caller); });
  }
  project::get_voters voters(const query_map& query, std::string_view project = "12") {
    return read(query, issues, [&](parameters& p) { return read_voters(p, project); });
  }
  project::get_chart chart(const query_map& query) {
    return read(query, issues, [](parameters& p) { return read_chart(p, "12"); });
  }
};

using strings = std::vector<std::string>;

TEST_F(Questions, ReadACast) {
  const auto query = vote(R"({"voteType":"BEARISH","voteReason":"two\nlines — ok","amount":3})");
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(query.project, project_id{12});
  EXPECT_EQ(query.voter, caller);
  EXPECT_EQ(query.side, sentiment::bearish);
  EXPECT_EQ(query.reason, "two\nlines — ok");
  EXPECT_FALSE(vote(R"({"voteType":"BULLISH","voteReason":null})").reason);
  EXPECT_EQ(issues, strings{});
}

TEST_F(Questions, CountTheReasonInCharacters) {
  std::string fifty;
  for (int i = 0; i < 50; ++i)
    fifty += "🙂";
  vote(R"({"voteType":"BULLISH","voteReason":")" + fifty + "\"}");
  EXPECT_EQ(issues, strings{});
  vote(R"({"voteType":"BULLISH","voteReason":")" + fifty + "x\"}");
  EXPECT_EQ(issues, strings{"voteReason must have 1 to 50 characters, not 51"});
  vote(R"({"voteType":"BULLISH","voteReason":""})");
  EXPECT_EQ(issues, strings{"voteReason must have 1 to 50 characters, not 0"});
}

TEST_F(Questions, TellEveryMistakeOfACast) {
  vote(R"({"voteReason":5})", "0");
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_EQ(issues[0], "projectId must be an integer from 1 to 2147483647, not '0'");
  EXPECT_EQ(issues[1], "voteType is required: BULLISH or BEARISH");
  vote(R"({"voteType":"bullish"})");
  EXPECT_EQ(issues, strings{"voteType must be BULLISH or BEARISH, not 'bullish'"});
  vote(R"({"voteType":1})");
  EXPECT_EQ(issues.size(), 1u);
  for (const auto* body : {"", "[]", "{", "null", R"({"voteType":"BULLISH","voteReason":"a\u0000b"})"}) {
    vote(body);
    EXPECT_EQ(issues.size(), 1u) << body;
  }
}

TEST_F(Questions, DefaultToTheCurrentPeriodAndFiftyByScore) {
  const auto query = voters({});
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(query.in.kind, scope_kind::current_period);
  EXPECT_EQ(query.order, project::voter_order::score);
  EXPECT_TRUE(query.descending);
  EXPECT_FALSE(query.side);
  EXPECT_EQ(query.slice.limit, 50);
  EXPECT_EQ(query.slice.offset, 0);
}

TEST_F(Questions, ReadEveryVoterParameter) {
  const auto query = voters({{"orderBy", "updatedAt"},
                             {"orderDirection", "asc"},
                             {"sentiment", "bearish"},
                             {"scope", "period"},
                             {"year", "2026"},
                             {"period", "3"},
                             {"limit", "0"},
                             {"offset", "2147483647"}});
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(query.order, project::voter_order::updated_at);
  EXPECT_FALSE(query.descending);
  EXPECT_EQ(query.side, sentiment::bearish);
  EXPECT_EQ(query.in.named.year, 2026);
  EXPECT_EQ(query.in.named.number, 3);
  EXPECT_EQ(query.slice.limit, 0);
  EXPECT_EQ(query.slice.offset, 2147483647);
}

TEST_F(Questions, TellEveryMistakeOfAVotersPage) {
  voters({{"orderBy", "name"},
          {"orderDirection", "up"},
          {"sentiment", "BULLISH"},
          {"scope", "all"},
          {"year", "x"},
          {"limit", "101"},
          {"offset", "-1"}},
         "2147483648");
  EXPECT_EQ(issues.size(), 8u);
}

TEST_F(Questions, NameWhatAScopeMisses) {
  scope({{"scope", "global-dates"}});
  EXPECT_EQ(issues, (strings{"startDate is required with scope 'global-dates'",
                             "endDate is required with scope 'global-dates'"}));
  scope({{"scope", "global-dates"}, {"startDate", "2026-03-01"}});
  EXPECT_EQ(issues, strings{"endDate is required with scope 'global-dates'"});
  scope({{"scope", "global-dates"}, {"startDate", "soon"}, {"endDate", "2026-03-01"}});
  EXPECT_EQ(issues.size(), 1u) << "wrong is not also missing";
  scope({{"scope", "global-dates"}, {"startDate", "2026-03-02"}, {"endDate", "2026-03-01"}});
  EXPECT_EQ(issues, strings{"startDate must not be after endDate"});
  scope({{"scope", "period"}, {"year", "2026"}});
  EXPECT_EQ(issues, strings{"period is required with scope 'period'"});
}

TEST_F(Questions, RefuseWhatBoundsAnotherScope) {
  voters({{"year", "2024"}, {"period", "3"}});
  EXPECT_EQ(issues, (strings{"year needs scope 'period'", "period needs scope 'period'"}))
    << "nobody who asks for that period gets the current one";
  chart({{"scope", "global"}, {"startDate", "2026-03-01"}, {"endDate", "soon"}});
  EXPECT_EQ(issues, (strings{"startDate needs scope 'global-dates'", "endDate needs scope 'global-dates'"}));
  scope({{"scope", "period"}, {"year", "2026"}, {"period", "3"}, {"startDate", "2026-03-01"}, {"endDate", ""}});
  EXPECT_EQ(issues, strings{"startDate needs scope 'global-dates'"});
}

TEST_F(Questions, LetOneDayBeARange) {
  const auto query = scope({{"scope", "global-dates"}, {"startDate", "2026-03-01"}, {"endDate", "2026-03-01"}});
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(iso_text(query.from), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(iso_text(query.to), "2026-03-01T23:59:59.999Z");
}

TEST_F(Questions, KnowTheElevenBuckets) {
  for (std::size_t i = 0; i < project::bucket_names.size(); ++i) {
    const auto query = chart({{"bucket", project::bucket_names[i]}});
    EXPECT_EQ(issues, strings{});
    EXPECT_EQ(query.width, static_cast<project::bucket>(i));
  }
  EXPECT_FALSE(chart({}).width);
  chart({{"bucket", "3 hours"}});
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_NE(issues[0].find("'2 hours'"), std::string::npos);
}

TEST_F(Questions, ReadBulkTotals) {
  const auto query =
    read({{"projectId", "3"}, {"profileIds", "5,6"}, {"profileIds[]", "5"}}, issues, &read_bulk_totals);
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(query.voters, (std::vector{profile_id{5}, profile_id{6}}));
  read({}, issues, &read_bulk_totals);
  EXPECT_EQ(issues, (strings{"projectId is required", "profileIds is required (1 to 100 profile ids)"}));
  query_map many{{"projectId", "3"}};
  for (int i = 1; i <= 100; ++i)
    many.emplace_back("profileIds", std::to_string(i));
  EXPECT_EQ(read(many, issues, &read_bulk_totals).voters.size(), 100u);
  many.emplace_back("profileIds", "101");
  read(many, issues, &read_bulk_totals);
  EXPECT_EQ(issues, strings{"profileIds must have at most 100 items"});
}

TEST_F(Questions, ReadABalance) {
  const auto query =
    read({{"period", "9007199254740991"}}, issues, [](parameters& p) { return read_balance(p, caller); });
  EXPECT_EQ(issues, strings{});
  EXPECT_EQ(query.profile, caller);
  EXPECT_FALSE(query.project);
  EXPECT_EQ(query.in.number, 9007199254740991);
  read({{"period", "9007199254740992"}, {"projectId", "-1"}}, issues,
       [](parameters& p) { return read_balance(p, caller); });
  EXPECT_EQ(issues.size(), 2u);
}

TEST_F(Questions, ReadListings) {
  const auto plain = read({}, issues, &read_listings);
  EXPECT_EQ(plain.top_movers_days, 1);
  EXPECT_EQ(plain.sparkline_days, 0);
  EXPECT_TRUE(plain.delta_days.empty());
  EXPECT_EQ(plain.slice.limit, 50);
  const auto query =
    read({{"userkey", "profileId:3"}, {"deltaWindows[]", "1"}, {"deltaWindows[]", "90"}, {"sparklineDays", "90"}},
         issues, &read_listings);
  EXPECT_EQ(issues, strings{});
  ASSERT_TRUE(query.owner);
  EXPECT_EQ(query.owner->userkey, "profileId:3");
  EXPECT_EQ(query.delta_days, (std::vector<std::int32_t>{1, 90}));
  EXPECT_EQ(query.sparkline_days, 90);
  read({{"topMoversDays", "0"}, {"sparklineDays", "91"}, {"deltaWindows", "1,2,3,4,5,6"}, {"year", "20.5"}}, issues,
       &read_listings);
  EXPECT_EQ(issues.size(), 4u);
}

TEST_F(Questions, ReadOneListing) {
  const auto query = read({{"topVotersLimit", "100"}}, issues, [](parameters& p) { return read_listing(p, "acme"); });
  EXPECT_EQ(query.username, "acme");
  EXPECT_EQ(query.top_voters, 100);
  EXPECT_EQ(read({}, issues, [](parameters& p) { return read_listing(p, "acme"); }).top_voters, 3);
  read({{"topVotersLimit", "101"}}, issues, [](parameters& p) { return read_listing(p, "acme"); });
  EXPECT_EQ(issues.size(), 1u);
}

} // namespace
} // namespace credence::http::v2
