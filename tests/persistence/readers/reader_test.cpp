#include "actors/people/lookup_types.hpp"
#include "actors/reputation/catalogue_types.hpp"
#include "actors/reputation/list_types.hpp"
#include "actors/slash/slash_types.hpp"
#include "persistence/readers/lane_queue.hpp"
#include "persistence/store.hpp"
#include "persistence/writer/takeover.hpp"
#include "tests/answer_from.hpp"
#include "tests/persistence/database.hpp"
#include "tests/persistence/read_now.hpp"
#include "tests/waiting.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

constexpr auto in_time = 60s;
constexpr auto lock_profiles = "BEGIN; LOCK TABLE profiles IN ACCESS EXCLUSIVE MODE";

/// The read connections of a store, asked directly.
struct Readers : ::testing::Test {
  Readers() { how.load_timeout = 60s; }
  ~Readers() override {
    if (opened) {
      tell_to_end(opened->writer);
      tell_to_end(opened->reader);
    }
  }

  reader_handle& open() {
    if (!opened) {
      opened.emplace(open_store(system, how, status, persistence::claim{}));
      const auto until = steady_clock::now() + in_time;
      while (!status.owned && steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
    }
    return opened->reader;
  }
  /// Questions all of which are asked before one is answered; an answer is empty when it failed.
  template <class Answer, class Q>
  std::vector<std::optional<Answer>> ask(
    const std::vector<Q>& questions, const std::function<void()>& then = [] {}) {
    std::vector<any_load> loads;
    for (const auto& each : questions)
      loads.push_back({each});
    std::vector<std::optional<Answer>> out;
    for (auto& each : test::answers_from(open(), loads, then))
      out.push_back(each ? std::optional{std::any_cast<Answer&&>(std::move(*each))} : std::nullopt);
    return out;
  }
  static std::vector<profile::load_profile> profiles(int first, int count) {
    std::vector<profile::load_profile> out;
    for (int i = 0; i < count; ++i)
      out.push_back({profile_id{first + i}, period_id{1}});
    return out;
  }
  /// Waits until a statement of that lane waits for a lock.
  void wait_for_a_blocked(const std::string& lane) {
    ASSERT_TRUE(test::await("a statement that waits for a lock", [&] { return blocked(lane) > 0; }));
  }
  std::int64_t blocked(const std::string& lane) {
    return test::how_many(url, "pg_stat_activity WHERE datname = current_database()"
                               " AND application_name = 'credence-"
                                 + lane + "' AND wait_event_type = 'Lock'");
  }
  static std::int64_t statements() { return ops::the_metrics().store.load_statements.value(); }
  static void end(connection& blocker) { blocker.exec("ROLLBACK", deadline_in(in_time)); }

  std::string url = test::fresh_database(2000, 5);
  settings::store how = test::store_settings(url);
  store_status status;
  caf::actor_system_config config;
  caf::actor_system system{config};
  std::optional<store> opened;
};

TEST_F(Readers, LoadsThatWaitForOneBecomeFewStatements) {
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  const auto before = statements();
  const auto found = ask<profile::stored_profile>(profiles(1, 1000), [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  for (const auto& each : found) {
    ASSERT_TRUE(each);
    EXPECT_TRUE(each->exists);
  }
  EXPECT_LE(statements() - before, 4);
}

TEST_F(Readers, ABurstOfLoadsWaitsInLine) {
  const auto found = ask<profile::stored_profile>(profiles(1, 20000));
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const auto& each) { return each.has_value(); }), 20000);
  EXPECT_TRUE(found[1999]->exists);
  EXPECT_FALSE(found[2000]->exists);
}

TEST_F(Readers, EachOfAGroupIsAnsweredByItself) {
  test::run_sql(url,
                "UPDATE profiles SET archived = true WHERE id = 4;"
                "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                " VALUES (2, now(), 1, 3, 1, 1, true), (3, now(), 2, 3, 1, 1, false), (4, now(), 1, 5, 2, 1, false)");
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  auto question = profiles(3, 3);
  question.push_back({profile_id{99999}, period_id{1}});
  question.push_back({profile_id{3}, period_id{9}});
  const auto found = ask<profile::stored_profile>(question, [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  ASSERT_EQ(found[0]->votes.size(), 2u);
  EXPECT_EQ(std::count_if(found[0]->votes.begin(), found[0]->votes.end(),
                          [](const auto& vote) {
                            return vote.side == profile::sentiment::bearish && vote.project == project_id{2};
                          }),
            1);
  EXPECT_TRUE(found[1]->archived);
  EXPECT_TRUE(found[1]->votes.empty());
  EXPECT_EQ(found[2]->votes.at(0).side, profile::sentiment::bearish);
  EXPECT_FALSE(found[3]->exists);
  EXPECT_TRUE(found[4]->exists);
  EXPECT_TRUE(found[4]->votes.empty());
}

TEST_F(Readers, OneOfAGroupThatCannotBeReadFailsAlone) {
  test::run_sql(
    url,
    "ALTER TABLE wei_accounts RENAME TO wei_accounts_kept;"
    "CREATE VIEW wei_accounts AS SELECT id AS profile_id, (1000 + 100 / (id - 7))::numeric AS balance FROM profiles");
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  std::vector<funds::load_funds> queries;
  for (int i = 1; i <= 20; ++i)
    queries.push_back({profile_id{i}});
  const auto found = ask<funds::stored_funds>(queries, [&] {
    wait_for_a_blocked("loads");
    end(blocker);
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].has_value(), i + 1 != 7) << i + 1;
}

TEST_F(Readers, ListsThatTakeForeverDelayNoLoad) {
  how.readers = 1;
  how.list_readers = 1;
  open();
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE project_links IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
  ask<listing::stored_listings>(std::vector<listing::load_listings>(5), [&] {
    wait_for_a_blocked("lists");
    EXPECT_TRUE(ask<profile::stored_profile>(profiles(1, 1))[0]);
    EXPECT_TRUE(ask<profile::stored_xp>(std::vector<profile::load_xp>{{profile_id{1}}})[0]);
    end(blocker);
  });
}

TEST_F(Readers, ListsThatCountAllThereIsLeaveAConnectionToAPage) {
  how.list_readers = 2;
  open();
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE slashes, categories IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
  const std::vector<slash::find_slashes> slashes(3, {{}, {}, {}, {10, 0}});
  const std::vector<reputation::get_categories> categories(3, {{10, 0}});
  const std::vector<reputation::list_replies> replies{{{reputation::activity_kind::review, 1}, false, {10, 0}}};
  ask<slash::slash_page>(slashes, [&] {
    ask<reputation::categories_page>(categories, [&] {
      wait_for_a_blocked("lists");
      EXPECT_TRUE(ask<reputation::list_replies::answer_type>(replies)[0]);
      end(blocker);
    });
  });
}

TEST_F(Readers, AStatementThatTakesTooLongIsStoppedAtTheServer) {
  how.readers = 1;
  how.load_timeout = 10s; // the server has nine of them, and one to say that they are over
  open();
  ASSERT_TRUE(ask<profile::stored_profile>(profiles(1, 1))[0]);
  const auto who =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'credence-loads'";
  const auto before = test::number_from(url, who);
  open();
  auto blocker = test::look_into(url);
  blocker.exec(lock_profiles, deadline_in(in_time));
  EXPECT_FALSE(ask<profile::stored_profile>(profiles(1, 1))[0]);
  EXPECT_EQ(blocked("loads"), 0);
  end(blocker);
  EXPECT_EQ(test::number_from(url, who), before) << "and the connection goes on";
}

TEST_F(Readers, ListsThatAreGivenUpCountAndThoseThatNobodyWaitsForAreNotRead) {
  using query = reputation::list_activity_votes;
  how.list_readers = 1;
  const query votes{{reputation::activity_kind::review, 1}, std::nullopt, {}, false, {10, 0}};
  ASSERT_TRUE(ask<query::answer_type>(std::vector<query>{votes})[0]) << "the lane has its connection";
  auto blocker = test::look_into(url);
  blocker.exec("BEGIN; LOCK TABLE addresses, users, activity_votes IN ACCESS EXCLUSIVE MODE", deadline_in(in_time));
  test::waiting_sink sink;
  std::size_t sent = 0;
  const auto send_one = [&]<class Q>(std::vector<credence::ask<Q>>& to, const Q& question, milliseconds time) {
    send(open(), read_straight(to.emplace_back(question, sink, steady_clock::now() + time)));
    ++sent;
  };
  const auto& waiting = ops::the_metrics().store.reads_waiting[static_cast<std::size_t>(lane::lists)];
  // The server gives a search up after 1350 ms. One that it tells too late is nobody's, and another one is tried.
  std::vector<credence::ask<people::search_people>> searches;
  EXPECT_TRUE(test::await("a search that is given up at the server",
                          [&] {
                            send_one(searches, {"ann", {10, 0}}, in_time);
                            return sink.wait(sent, in_time) && searches.back().get()->database_time() >= 1s;
                          }))
    << "it has kept the connection for so long";
  ASSERT_TRUE(test::await("the end of the line", [&] { return waiting.value() == 0; }));

  const auto before = statements();
  std::vector<credence::ask<query>> asked;
  send_one(asked, votes, 2s);
  wait_for_a_blocked("lists");
  while (asked.size() < 20)
    send_one(asked, votes, 1s);
  ASSERT_TRUE(sink.wait(sent, in_time));
  end(blocker);
  ASSERT_TRUE(test::await("the end of the line", [&] { return waiting.value() == 0; }));
  EXPECT_EQ(statements() - before, 1) << "that which was being read as all were given up";
  EXPECT_GT(asked[0].get()->database_time(), 0s) << "it was being read as its asker went";
  EXPECT_EQ(asked[19].get()->database_time(), 0s);
}

TEST_F(Readers, AProfileCostsOnlyTheVotesOfThePeriodAskedAbout) {
  test::run_sql(url, "SET session_replication_role = replica;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT n, now(), n, 3, 1, 1 + n % 500, true FROM generate_series(1, 100000) n;"
                     "INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
                     " SELECT 100000 + n, now(), n, 3, 2, 501, n % 2 = 0 FROM generate_series(1, 5) n; ANALYZE votes");
  auto on = test::look_into(url);
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; BEGIN", deadline_in(in_time));
  const auto stored = read_now(on, profile::load_profile{profile_id{3}, period_id{501}}, deadline_in(in_time));
  EXPECT_EQ(stored.votes.size(), 5u);
  const auto counted = read_now(on, profile::count_votes{{{profile_id{3}, period_id{501}}}}, deadline_in(in_time));
  EXPECT_EQ(counted.counts[0].bullish, 2);
  EXPECT_EQ(counted.counts[0].bearish, 3);
  const auto rows =
    on.exec_params("SELECT (seq_tup_read + idx_tup_fetch)::int8 FROM pg_stat_xact_user_tables WHERE relname = 'votes'",
                   deadline_in(in_time));
  EXPECT_LE(rows.value<std::int64_t>(), 10);
  on.exec("ROLLBACK", deadline_in(in_time));
}

struct LaneQueue : ::testing::Test {
  LaneQueue() { line.start({100, 10, 1s, 4s}, std::vector<reader_entity>(1), &waits); }

  std::shared_ptr<reading> put(const query_policy& how, milliseconds ago = 0ms, const asker& whose = {}) {
    auto out = std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on, whose);
    out->asked_at = steady_clock::now() - ago;
    line.push(out);
    return out;
  }
  std::vector<std::shared_ptr<reading>> put_many(int count, const query_policy& how, const asker& whose) {
    std::vector<std::shared_ptr<reading>> out;
    for (int i = 0; i < count; ++i)
      out.push_back(put(how, 0ms, whose));
    return out;
  }
  /// How many of the next `count` reads are of each of those.
  std::map<asker, int> next_of(int count) {
    std::map<asker, int> out;
    for (int i = 0; i < count; ++i)
      if (const auto next = line.next())
        ++out[next->whose()];
    return out;
  }
  static asker profile(std::uint64_t who) { return {asker_rank::known, who}; }
  static asker address(std::uint64_t who) { return {asker_rank::anonymous, who}; }

  std::deque<load_handler> kinds;
  ops::gauge waits;
  lane_queue line;
};

TEST_F(LaneQueue, WhatHasWaitedTooLongIsGivenBackAlsoWhereOthersGoBeforeIt) {
  const auto late = put(list_of_many, 5s);
  const auto many = put(list_of_many, 2s); // which has more time
  const auto page = put(list_a_page);
  EXPECT_EQ(line.next_late(), late);
  EXPECT_EQ(line.next_late(), nullptr);
  EXPECT_EQ(line.next(), page);
  EXPECT_EQ(line.next(), many);
}

TEST_F(LaneQueue, APageHasLessTimeThanWhatIsReadWhole) {
  const auto page = put(list_a_page, 2s);
  put(list_of_many, 2s);
  EXPECT_EQ(line.next_late(), page);
  EXPECT_EQ(line.next_late(), nullptr);
}

TEST_F(LaneQueue, AskersAreServedInTurnHoweverManyQuestionsOneHas) {
  const auto flood = put_many(50, list_a_page, address(1));
  const auto other = put(list_a_page, 0ms, address(2));
  const auto third = put(list_of_many, 0ms, address(3));
  EXPECT_EQ(line.next(), flood[0]);
  EXPECT_EQ(line.next(), third) << "what is short and what has much to read go in turn";
  EXPECT_EQ(line.next(), other);
  EXPECT_EQ(line.next(), flood[1]);
  EXPECT_EQ(line.next(), flood[2]);
}

TEST_F(LaneQueue, WhoHasAskedForMuchWaitsAmongTheirOwnBehindWhatIsShort) {
  const auto much = put(list_of_many, 0ms, profile(1));
  const auto page = put(list_a_page, 0ms, profile(1));
  EXPECT_EQ(line.next(), page);
  EXPECT_EQ(line.next(), much);
}

TEST_F(LaneQueue, AnonymousAskersComeLastButGetAnEighth) {
  put_many(40, list_a_page, address(1));
  put_many(40, list_a_page, profile(1));
  put_many(40, list_a_page, {});
  const auto first = line.next();
  EXPECT_EQ(first->whose(), asker{});
  auto served = next_of(31);
  EXPECT_EQ(served[asker{}] + 1, 16);
  EXPECT_EQ(served[profile(1)], 12);
  EXPECT_EQ(served[address(1)], 4);
}

TEST_F(LaneQueue, WhatOneRankLeavesGoesToTheOthersAndIsNotMadeUpFor) {
  put_many(30, list_a_page, address(1));
  EXPECT_EQ(next_of(20)[address(1)], 20) << "nobody else asks";
  put_many(30, list_a_page, profile(1));
  EXPECT_EQ(line.next()->whose(), profile(1)) << "who has just come goes first";
  auto served = next_of(16);
  EXPECT_EQ(served[profile(1)], 12);
  EXPECT_EQ(served[address(1)], 4);
}

TEST(LaneQueueOfTwo, PagesOfTheKnownTakeNothingFromTheirShareOfWhatHasMuchToRead) {
  ops::gauge waits;
  lane_queue line;
  line.start({1000, 1000, 1s, 4s}, std::vector<reader_entity>(2), &waits);
  std::deque<load_handler> kinds;
  const auto put = [&](const query_policy& how, const asker& whose) {
    line.push(std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on, whose));
  };
  const asker known{asker_rank::known, 1};
  const asker anonymous{asker_rank::anonymous, 1};
  std::map<asker, int> served;
  for (int i = 0; i < 24;
       ++i) { // one of the two connections may have much to read, and each time the other one reads eight pages
    put(list_of_many, anonymous), put(list_of_many, known);
    for (int page = 0; page < 9; ++page)
      put(list_a_page, {asker_rank::known, 2});
    auto next = line.next();
    if (next->how().weighs == weight::few) { // goes on the connection that was free last, which is free again
      line.hand_out(std::move(next));
      line.done(1);
      next = line.next();
    }
    ASSERT_EQ(next->how().weighs, weight::many);
    ++served[next->whose()];
    line.hand_out(std::move(next));
    for (int page = 0; page < 8; ++page) {
      next = line.next();
      ASSERT_EQ(next->how().weighs, weight::few) << "the other connection is for what is short";
      line.hand_out(std::move(next));
      line.done(0);
    }
    line.done(1);
  }
  EXPECT_EQ(served[known], 18) << "three of four";
  EXPECT_EQ(served[anonymous], 6);
}

TEST_F(LaneQueue, OnlyWhoseOwnPlacesAreFullIsRefused) {
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(line.enter(address(1)));
  EXPECT_EQ(line.enter(address(1)), failure::too_many);
  EXPECT_FALSE(line.enter(address(2)));
  EXPECT_FALSE(line.enter({asker_rank::known, 1})) << "the same number, another rank";
  line.leave(address(1), 1);
  EXPECT_FALSE(line.enter(address(1)));
  EXPECT_EQ(line.enter(address(1)), failure::too_many);
}

TEST_F(LaneQueue, AnonymousAskersLeaveHalfOfThePlacesToThoseWhoAreKnown) {
  for (std::uint64_t who = 0; who < 50; ++who)
    EXPECT_FALSE(line.enter(address(who)));
  EXPECT_EQ(line.enter(address(99)), failure::overloaded);
  for (std::uint64_t who = 0; who < 50; ++who)
    EXPECT_FALSE(line.enter(profile(who)));
  EXPECT_EQ(line.enter(profile(99)), failure::overloaded);
  EXPECT_EQ(line.enter({}), failure::overloaded);
  EXPECT_EQ(waits.value(), 100);
}

TEST(LaneQueueOfThree, LeavesAConnectionToWhatIsShortWhateverElseWaits) {
  lane_queue line;
  ops::gauge waits;
  line.start({100, 10, 1s, 4s}, std::vector<reader_entity>(3), &waits);
  std::deque<load_handler> kinds;
  const auto put = [&](const query_policy& how) {
    line.push(std::make_shared<reading>(kinds.emplace_back(load_handler{typeid(void), how, nullptr}), how.on,
                                        asker{asker_rank::anonymous, 1}));
  };
  for (int i = 0; i < 3; ++i)
    put(list_of_many);
  line.hand_out(line.next());
  line.hand_out(line.next());
  EXPECT_EQ(line.next(), nullptr) << "the third would have the last connection";
  put(list_a_page);
  EXPECT_NE(line.next(), nullptr);
}

} // namespace
} // namespace credence::persistence
