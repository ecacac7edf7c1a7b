#include "tests/persistence/store_fixture.hpp"
#include "tests/waiting.hpp"

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;
using test::run_sql;

TEST_F(Store, ReadsNothingBeforeItIsTheWriter) {
  open();
  ASSERT_TRUE(wait_writable());
  EXPECT_TRUE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
  status.owned = false;
  EXPECT_FALSE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
  status.owned = true;
  EXPECT_TRUE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
}

TEST_F(Store, LoadsAProfileWithItsVotesAsOfTheLastCommit) {
  open();
  ASSERT_TRUE(wait_writable());
  cast(1, 7, 1);
  cast(3, 7, 1);
  cast(3, 8, 2);
  ASSERT_TRUE(settle_writes());
  const auto got = test::there(ask<profile::stored_profile>(profile::load_profile{profile_id{7}, period_id{1}}));
  EXPECT_TRUE(got->exists);
  EXPECT_FALSE(got->archived);
  EXPECT_EQ(got->as_of, 4);
  ASSERT_EQ(got->votes.size(), 2u);
  const auto silent = test::there(ask<profile::stored_profile>(profile::load_profile{profile_id{9}, period_id{1}}));
  EXPECT_TRUE(silent->exists);
  EXPECT_TRUE(silent->votes.empty());
  EXPECT_EQ(silent->as_of, 4);
  const auto nobody = test::there(ask<profile::stored_profile>(profile::load_profile{profile_id{999}, period_id{1}}));
  EXPECT_FALSE(nobody->exists);
}

TEST_F(Store, LoadsPeopleInPages) {
  run_sql(url, "UPDATE profiles SET archived = true WHERE id = 12");
  const auto got = test::there(ask<people::stored_people>(people::load_people{profile_id{10}, 5}));
  ASSERT_EQ(got->rows.size(), 5u);
  EXPECT_EQ(got->rows[0].profile, profile_id{11});
  EXPECT_EQ(got->rows[0].score, 1011);
  EXPECT_TRUE(got->rows[0].live);
  EXPECT_FALSE(got->rows[1].live);
  EXPECT_EQ(ask<people::stored_people>(people::load_people{profile_id{20}, 5})->rows.size(), 0u);
}

TEST_F(Store, LoadsPeopleWhoseUsersCameInAnotherOrder) {
  run_sql(url, "INSERT INTO users (id, display_name, avatar_url, score, status) SELECT 900000 - 7000 * n, 'U', 'a', n,"
               " 'ACTIVE' FROM generate_series(31, 40) n;"
               "INSERT INTO profiles (id, user_id, created_at, updated_at) SELECT n, 900000 - 7000 * n, now(), now()"
               " FROM generate_series(31, 40) n");
  const auto got = test::there(ask<people::stored_people>(people::load_people{profile_id{18}, 100}));
  ASSERT_EQ(got->rows.size(), 12u);
  EXPECT_EQ(got->rows[0].score, 1019);
  for (std::size_t i = 2; i < 12; ++i)
    EXPECT_EQ(got->rows[i].score, got->rows[i].profile.value);
}

TEST_F(Store, LoadsUsersWithEverythingOthersSee) {
  run_sql(url,
          "UPDATE users SET description = 'early', xp_streak_days = 3,"
          " influence_factor = 1.5, influence_percentile = 97.25, human_verification = 'VERIFIED',"
          " validator_nft_count = 2, holdings_wei = 115792089237316195423570985008687907853269984665640564039457,"
          " reviews_negative = 1, reviews_neutral = 2, reviews_positive = 3 WHERE id = 3;"
          "INSERT INTO xp_movements (from_account, to_account, amount, kind, at)"
          " VALUES (0, (SELECT id FROM profiles WHERE user_id = 3), 9007199254740993, 'CLAIM', now());"
          "INSERT INTO user_vouches VALUES (3, 'eth', 10, 20, 1, 2, 30, 40, 3, 4), (3, 'whuf', 5, 6, 7, 8, 5, 6, 7, 8);"
          "INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
          " (decode(repeat('ab', 20), 'hex'), 3, 'linked', '2026-01-01'),"
          " (decode(repeat('0c', 20), 'hex'), 3, 'primary', '2026-01-02');"
          "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, created_at, archived) VALUES"
          " (1, decode(repeat('01', 32), 'hex'), 3, 3, 'x.com', '77', now(), false),"
          " (2, decode(repeat('02', 32), 'hex'), 3, 3, 'discord', '88', now(), true);"
          "UPDATE users SET status = 'INACTIVE' WHERE id = 22");
  const auto got = test::there(ask<people::stored_users>(people::load_users{{user_id{3}, user_id{22}, user_id{999}}}));
  ASSERT_EQ(got->users.size(), 2u);
  const auto& first = got->users[0]->id.value == 3 ? *got->users[0] : *got->users[1];
  const auto& second = got->users[0]->id.value == 3 ? *got->users[1] : *got->users[0];
  EXPECT_EQ(first.profile, profile_id{3});
  EXPECT_EQ(first.userkeys,
            (std::vector<std::string>{"profileId:3", "address:0x0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
                                      "address:0xabababababababababababababababababababab", "service:x.com:77"}));
  EXPECT_EQ(first.xp_total, 9007199254740993);
  EXPECT_EQ(first.influence_percentile, 97.25);
  EXPECT_EQ(first.verification, people::human_verification::verified);
  EXPECT_EQ(first.holdings_wei, "115792089237316195423570985008687907853269984665640564039457");
  EXPECT_EQ(first.vouches_eth.received, "20");
  EXPECT_EQ(first.vouch_lifetime.given, "30");
  EXPECT_EQ(first.vouch_lifetime.received_count, 4);
  EXPECT_EQ(first.vouches_whuf.given_count, 7);
  EXPECT_EQ(first.reviews_positive, 3);
  EXPECT_FALSE(second.profile);
  EXPECT_EQ(second.status, people::user_status::inactive);
  EXPECT_TRUE(second.userkeys.empty());
  EXPECT_EQ(second.vouches_eth.given, "0");
  const auto of = ask<people::stored_users>(people::load_users_of{{profile_id{3}, profile_id{4}, profile_id{999}}});
  ASSERT_TRUE(of);
  EXPECT_EQ(of->users.size(), 2u);
}

TEST_F(Store, LoadsListingsWithTalliesAndTheNumberOfTheirLastVote) {
  run_sql(url,
          "UPDATE projects SET status = 'ARCHIVED' WHERE id = 2;"
          "INSERT INTO project_links VALUES (1, 1, 'TWITTER', 'https://x.com/a'), (1, 0, 'WEBSITE', 'https://a.io');"
          "INSERT INTO project_team VALUES (1, 5), (1, 4);"
          "INSERT INTO categories VALUES (1, 'DeFi', 'defi', NULL); INSERT INTO project_categories VALUES (1, 1);"
          "INSERT INTO chains VALUES (1, 'Base', NULL, NULL); INSERT INTO project_chains VALUES (1, 1);"
          "INSERT INTO project_tallies VALUES (1, 1, '2026-01-02', 1, 0), (1, 1, '2026-01-01', 2, 3);"
          "INSERT INTO project_period_tallies VALUES (1, 1, 9, 4);"
          "INSERT INTO project_rollups VALUES (1, 6, 6)");
  open();
  ASSERT_TRUE(wait_writable());
  for (int voter = 1; voter <= 7; ++voter)
    cast(1, voter, voter);
  ASSERT_TRUE(settle_writes());
  const auto from = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2};
  const auto got = test::there(ask<listing::stored_listings>(listing::load_listings{{}, 100, {}, from}));
  ASSERT_EQ(got->listings.size(), 5u);
  const auto& first = got->listings[0];
  EXPECT_EQ(first.core->user->username, "user21");
  ASSERT_EQ(first.core->links.size(), 2u);
  EXPECT_EQ(first.core->links[0].url, "https://a.io");
  EXPECT_EQ(first.core->links[1].type, listing::link_type::twitter);
  EXPECT_EQ(first.core->team, (std::vector{profile_id{4}, profile_id{5}}));
  EXPECT_EQ(first.core->categories.at(0).slug, "defi");
  EXPECT_EQ(first.core->chains.at(0).name, "Base");
  EXPECT_EQ(first.tallied_through, 6);
  EXPECT_EQ(first.last_vote, 7);
  ASSERT_EQ(first.days.size(), 1u) << "from the day asked for on";
  EXPECT_EQ(first.days[0].weight, (project::vote_weights{1, 0})) << "each of those from before weighs one";
  ASSERT_EQ(first.periods.size(), 1u);
  EXPECT_EQ(first.periods[0].weight, (project::vote_weights{9, 4}));
  EXPECT_TRUE(got->listings[1].core->archived);
  EXPECT_EQ(got->listings[1].last_vote, 0);
}

TEST_F(Store, LoadsListingsPieceByPieceAndThenWhatChanged) {
  open();
  const auto first = test::there(ask<listing::stored_listings>(listing::load_listings{{}, 2}));
  EXPECT_FALSE(first->last);
  ASSERT_EQ(first->listings.size(), 2u);
  const auto rest = ask<listing::stored_listings>(listing::load_listings{project_id{2}, 100});
  EXPECT_TRUE(rest->last);
  EXPECT_EQ(rest->listings.size(), 3u);
  const auto changed = [&] {
    std::vector<std::int32_t> out;
    const auto came = ask<listing::stored_listings>(listing::load_listings{{}, 100, first->as_of});
    EXPECT_TRUE(came) << "not answered";
    if (came)
      for (const auto& each : came->listings)
        out.push_back(each.core->id.value);
    return out;
  };
  using ids = std::vector<std::int32_t>;
  EXPECT_EQ(changed(), ids{});
  const std::pair<const char*, ids> rows[] = {
    {"UPDATE projects SET description = 'new' WHERE id = 1", {1}},
    {"INSERT INTO project_links VALUES (2, 0, 'WEBSITE', 'https://a.io')", {1, 2}},
    {"UPDATE users SET score = 2000 WHERE id = 23", {1, 2, 3}},
    {"INSERT INTO addresses VALUES (decode(repeat('07', 20), 'hex'), 24, 'linked', now())", {1, 2, 3, 4}},
    {"INSERT INTO categories VALUES (1, 'DeFi', 'defi', NULL); INSERT INTO project_categories VALUES (5, 1)",
     {1, 2, 3, 4, 5}}};
  for (const auto& [sql, wanted] : rows) {
    run_sql(url, sql);
    EXPECT_EQ(changed(), wanted) << sql;
  }
  const auto later = ask<listing::stored_listings>(listing::load_listings{{}, 1});
  run_sql(url, "UPDATE categories SET name = 'De-Fi' WHERE id = 1");
  const auto last = ask<listing::stored_listings>(listing::load_listings{{}, 100, later->as_of});
  ASSERT_EQ(last->listings.size(), 1u);
  EXPECT_EQ(last->listings[0].core->categories.at(0).name, "De-Fi");
}

TEST_F(Store, LoadsPeriodsAndTheElectorate) {
  run_sql(url,
          "UPDATE projects SET status = 'ARCHIVED' WHERE id = 2; UPDATE profiles SET archived = true WHERE id < 4");
  const auto periods = test::there(ask<period::stored_periods>(period::load_periods{}));
  ASSERT_EQ(periods->periods.size(), 1u);
  EXPECT_EQ(periods->periods[0].year, 2026);
  EXPECT_FALSE(periods->periods[0].closed_at);
  const auto voters = test::there(ask<period::electorate>(period::load_electorate{}));
  EXPECT_EQ(voters->live_profiles, 17);
  EXPECT_EQ(voters->active_projects, 4);
}

TEST_F(Store, LoadsAProjectOfSeveralChunksWhole) {
  run_sql(url,
          "INSERT INTO users (id, display_name, avatar_url, status) SELECT n, 'U', 'a', 'ACTIVE'"
          " FROM generate_series(1000, 50999) n;"
          "INSERT INTO profiles (id, user_id, created_at, updated_at) SELECT n, n, now(), now()"
          " FROM generate_series(1000, 50999) n;"
          "INSERT INTO votes (project_id, voter_id, number, period_id, bullish, reason, cast_at, seq)"
          " SELECT 4, 999 + n, n, 1, n % 2 = 0, 'reason ' || n % 3, now(), 1 + n FROM generate_series(1, 50000) n");
  const auto got = test::there(ask<project::stored_project>(project::load_project{project_id{4}}));
  ASSERT_EQ(got->votes.size(), 50000u);
  EXPECT_EQ(got->reasons.size(), 3u);
  for (int n = 1; n <= 50000; n += 4999)
    EXPECT_EQ(got->votes[static_cast<std::size_t>(n - 1)].voter, profile_id{999 + n});
  EXPECT_FALSE(ask<project::stored_project>(project::load_project{project_id{99}})->exists);
}

/// Votes on project 4, and tallies of them.
struct project_four {
  const std::string& url;

  void votes(int from, int to, int period) const {
    run_sql(url, "SET session_replication_role = replica;"
                 "INSERT INTO votes (project_id, voter_id, number, period_id, bullish, reason, cast_at, seq, weight)"
                 " SELECT 4, 1 + n % 20, n, "
                   + std::to_string(period)
                   + ", n % 3 > 0, 'reason ' || n % 3,"
                     " timestamptz '2026-01-02Z' + n * interval '1 hour', 10 + n, 2 FROM generate_series("
                   + std::to_string(from) + ", " + std::to_string(to) + ") n");
  }
  /// The tallies go so far.
  void tally(int through) const {
    run_sql(url, "DELETE FROM project_tallies; DELETE FROM project_rollups;"
                 "INSERT INTO project_tallies SELECT 4, period_id, cast_at::date, count(*) FILTER (WHERE bullish), "
                 "count(*) FILTER (WHERE NOT bullish) FROM votes WHERE number <= "
                   + std::to_string(through)
                   + " GROUP BY 1, 2, 3;"
                     "INSERT INTO project_rollups VALUES (4, "
                   + std::to_string(through) + ", " + std::to_string(through) + ")");
  }
};

TEST_F(Store, LoadsOfAProjectWhatDecidingNeedsAndTheRestWhenAsked) {
  run_sql(url, "UPDATE voting_periods SET closed_at = '2026-02-01' WHERE id = 1;"
               "INSERT INTO voting_periods VALUES (2, 2026, 2, '2026-02-01', '2026-03-01', NULL, 20, 5, 2)");
  const project_four of{url};
  of.votes(1, 10, 1);
  of.votes(11, 15, 2);
  const auto load = [&] {
    return ask<project::stored_project>(project::load_project{project_id{4}}).value_or(project::stored_project{});
  };
  const auto numbers = [&](int base, int period, std::size_t count) {
    const auto got = load();
    EXPECT_TRUE(got.exists);
    EXPECT_EQ(got.base, base);
    EXPECT_EQ(got.from, period_id{period});
    ASSERT_EQ(got.votes.size(), count);
    EXPECT_EQ(got.last_at, base == 0 ? timestamp{} : timestamp{1767312000s + std::chrono::hours{base}});
    if (count > 0) {
      EXPECT_EQ(got.votes.front().voter, profile_id{1 + (base + 1) % 20});
    }
  };
  numbers(0, 0, 15); // nothing is tallied
  of.tally(15);
  numbers(10, 2, 5);
  of.tally(12);
  numbers(10, 2, 5);
  of.tally(10);
  numbers(10, 2, 5);
  of.tally(4);
  numbers(0, 0, 15); // back to the period of vote 5
  run_sql(url, "UPDATE voting_periods SET closed_at = '2026-03-01' WHERE id = 2;"
               "INSERT INTO voting_periods VALUES (3, 2026, 3, '2026-03-01', '2026-04-01', NULL, 20, 5, 3)");
  of.tally(15);
  numbers(15, 3, 0); // nobody has voted yet
  of.votes(16, 17, 3);
  numbers(15, 3, 2);
  of.tally(12);
  numbers(10, 2, 7);
  run_sql(url, "UPDATE project_tallies SET bullish = bullish + 1 WHERE period_id = 2");
  numbers(0, 0, 17); // they are wrong
  run_sql(url, "UPDATE project_tallies SET bullish = bullish - 2 WHERE period_id = 2 AND bullish > 1");
  numbers(0, 0, 17);
  run_sql(url, "UPDATE project_tallies SET bullish = bullish + 5000 WHERE period_id = 2");
  numbers(0, 0, 17);
  of.tally(17);
  const auto short_one = load();
  EXPECT_EQ(short_one.tallied_through, 17);
  const auto older = test::there(ask<project::stored_history>(project::load_history{project_id{4}, short_one.base}));
  ASSERT_EQ(older->votes.size(), 15u);
  auto batch_max = *older;
  batch_max.votes.insert(batch_max.votes.end(), short_one.votes.begin(), short_one.votes.end());
  for (int n = 1; n <= 17; ++n) {
    const auto& vote = batch_max.votes[static_cast<std::size_t>(n - 1)];
    EXPECT_EQ(vote.voter, profile_id{1 + n % 20});
    EXPECT_EQ(vote.in, period_id{n <= 10 ? 1 : n <= 15 ? 2 : 3});
    EXPECT_EQ(vote.at, timestamp{1767312000s + std::chrono::hours{n}});
    EXPECT_EQ(vote.weight, 2);
    const auto& reasons = n <= 15 ? older->reasons : short_one.reasons;
    EXPECT_EQ(reasons.at(static_cast<std::size_t>(vote.reason)), "reason " + std::to_string(n % 3));
  }
  EXPECT_FALSE(ask<project::stored_history>(project::load_history{project_id{4}, 18}))
    << "of more votes than there are";
}

TEST_F(Store, LetsOneSlowReadHoldUpNobodyElse) {
  how.readers = 2;
  how.load_timeout = 60s;
  open();
  ASSERT_TRUE(wait_writable()); // the writer prepares statements about links
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE project_links IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
  test::waiting_sink answers;
  const credence::ask<any_load> slow{any_load{listing::load_listings{}}, answers, steady_clock::now() + in_time};
  send(open().reader, slow);
  EXPECT_TRUE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
  blocker.exec("ROLLBACK", deadline_in(in_time));
  EXPECT_TRUE(answers.wait(1, in_time));
}

struct StoreOfOlderVotes : Store {
  /// Asks for the older votes of five projects while nobody can read votes. `meanwhile` runs before they can be read;
  /// it gets the connection that holds them up.
  template <class Meanwhile>
  void ask_five_projects(Meanwhile meanwhile) {
    how.load_timeout = 60s;
    open();
    ASSERT_TRUE(wait_writable());
    auto blocker = test::look_into(url);
    blocker.exec("BEGIN; LOCK TABLE votes IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
    std::vector<any_load> older;
    for (int project = 1; project <= 5; ++project)
      older.push_back({project::load_history{project_id{project}, 1}});
    const auto found = test::answers_from(open().reader, older, [&] {
      meanwhile(blocker);
      blocker.exec("ROLLBACK", deadline_in(in_time));
    });
    for (const auto& each : found)
      EXPECT_FALSE(each) << "there are no votes";
  }
};

TEST_F(StoreOfOlderVotes, AreReadOneAfterTheOtherWhileWhatIsLargeGoesOn) {
  how.readers = 3;
  ask_five_projects([&](connection&) {
    EXPECT_TRUE(ask<period::electorate>(period::load_electorate{}))
      << "which is large, too, and never takes the last connection";
    EXPECT_TRUE(ask<period::stored_periods>(period::load_periods{}));
  });
}

TEST_F(StoreOfOlderVotes, AreReadByAllConnectionsButTwo) {
  how.readers = 5;
  ask_five_projects([&](connection& looking) {
    const auto reading = [&] {
      const auto found = looking.run("SELECT count(*) FROM pg_locks WHERE relation = 'votes'::regclass AND NOT granted",
                                     deadline_in(in_time));
      return found.first<std::int64_t>("count");
    };
    EXPECT_TRUE(test::await("three connections that read older votes", [&] { return reading() == 3; }));
    EXPECT_TRUE(ask<period::electorate>(period::load_electorate{}));
    EXPECT_TRUE(ask<period::stored_periods>(period::load_periods{}));
    EXPECT_EQ(reading(), 3);
  });
}

TEST_F(Store, GivesUpReadingFromAFrozenServer) {
  how.load_timeout = 5s; // which the first one is well within
  how.connect_timeout = 5s;
  ASSERT_TRUE(ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}}));
  test::shared_postgres().pause();
  const auto answer = ask<profile::stored_profile>(profile::load_profile{profile_id{1}, period_id{1}});
  test::shared_postgres().resume();
  EXPECT_FALSE(answer);
  EXPECT_TRUE(wait_writable());
}

} // namespace
} // namespace credence::persistence
