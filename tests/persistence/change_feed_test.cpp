#include "actors/domain/time.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "persistence/change_feed_actor.hpp"
#include "tests/persistence/database.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace credence::persistence {
namespace {

using namespace std::chrono_literals;

/// What people and listings were told, readable by the test.
class heard {
public:
  void note(const std::function<void(heard&)>& action) {
    const std::lock_guard lock{mutex_};
    action(*this);
    changed_.notify_all();
  }
  /// Waits until that is so, and forgets everything.
  bool wait(const std::function<bool(const heard&)>& done) {
    std::unique_lock lock{mutex_};
    const bool so = changed_.wait_for(lock, 60s, [&] { return done(*this); });
    profiles.clear();
    projects.clear();
    all_projects = all_profiles = silent = false;
    return so;
  }

  std::set<int> profiles;
  std::set<int> projects;
  bool all_profiles = false;
  bool all_projects = false;
  bool silent = false; // while true, nothing is told

private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

people::people_handle spawn_people_who_note(caf::actor_system& sys, heard* to) {
  return spawn_functions<people::people_handle>(
    sys,
    [to](const ask<people::invalidate>& who) {
      to->note([&](heard& all) {
        for (const auto each : who->profiles)
          all.profiles.insert(each.value);
      });
    },
    [to](const people::changes_are_told& change) {
      to->note([&](heard& all) { (change.now ? all.all_profiles : all.silent) = true; });
    },
    [](const auto&) {});
}

listing::listing_handle spawn_board_that_notes(caf::actor_system& sys, heard* to) {
  return spawn_functions<listing::listing_handle>(
    sys,
    [to](const listing::listings_changed& change) {
      to->note([&](heard& all) {
        all.all_projects = all.all_projects || change.which.empty();
        for (const auto each : change.which)
          all.projects.insert(each.value);
      });
    },
    [](const auto&) {});
}

struct ChangeFeed : testing::Test {
  ChangeFeed() {
    people_ = spawn_people_who_note(system_, &told);
    board_ = spawn_board_that_notes(system_, &told);
    feed_ = spawn_change_feed(system_, test::store_settings(url), {people_, board_});
  }
  ~ChangeFeed() override {
    tell_to_end(feed_);
    for (const auto& each : {actor_ref{people_}, actor_ref{board_}})
      tell_to_end(each);
  }

  bool stands() {
    return told.wait([](const heard& all) { return all.all_profiles && all.all_projects; });
  }
  void change(const std::string& sql) { test::run_sql(url, sql); }
  bool tells_profiles(std::set<int> ids) {
    return told.wait([&](const heard& all) { return all.profiles == ids; });
  }
  bool tells_projects(std::set<int> ids) {
    return told.wait([&](const heard& all) { return all.projects == ids; });
  }

  const std::string url = test::fresh_database(20, 5);
  heard told;

private:
  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  people::people_handle people_;
  listing::listing_handle board_;
  actor_ref feed_;
};

TEST_F(ChangeFeed, TellsWhoHasChanged) {
  ASSERT_TRUE(stands());
  change("UPDATE users SET score = score + 1 WHERE id IN (11, 12)");
  EXPECT_TRUE(tells_profiles({11, 12}));
  change("UPDATE profiles SET archived = true WHERE id = 13");
  EXPECT_TRUE(tells_profiles({13}));
  change("INSERT INTO addresses (address, user_id, kind, added_at) VALUES (decode(repeat('ab', 20), 'hex'), 14, "
         "'linked', now())");
  EXPECT_TRUE(tells_profiles({14}));
  change("UPDATE addresses SET user_id = 15 WHERE address = decode(repeat('ab', 20), 'hex')");
  EXPECT_TRUE(tells_profiles({14, 15})) << "whose it is, and whose it was";
  change("DELETE FROM addresses WHERE address = decode(repeat('ab', 20), 'hex')");
  EXPECT_TRUE(tells_profiles({15}));
  change("INSERT INTO users (id, display_name, avatar_url, status) VALUES (77, 'new', '', 'ACTIVE');"
         "INSERT INTO profiles (id, user_id, created_at, updated_at) VALUES (77, 77, now(), now())");
  EXPECT_TRUE(tells_profiles({77}));
}

TEST_F(ChangeFeed, TellsWhichListingsHaveChanged) {
  ASSERT_TRUE(stands());
  change("UPDATE projects SET status = 'ARCHIVED' WHERE id = 2");
  EXPECT_TRUE(tells_projects({2}));
  change("INSERT INTO project_links (project_id, position, type, url) VALUES (3, 7, 'WEBSITE', 'https://example.org')");
  EXPECT_TRUE(tells_projects({3}));
  change("INSERT INTO categories (id, name, slug) VALUES (901, 'new', 'new')"); // shown nowhere yet
  change("UPDATE categories SET name = 'newer' WHERE id = 901");
  EXPECT_TRUE(told.wait([](const heard& all) { return all.all_projects; }));
}

TEST_F(ChangeFeed, ManyChangesAreOneRequestToReadEverything) {
  ASSERT_TRUE(stands());
  change("SELECT tell_changes('profile', array(SELECT generate_series(1, 2000)))");
  EXPECT_TRUE(told.wait([](const heard& all) { return all.profiles.size() == 2000; }));
  change("SELECT tell_changes('profile', array(SELECT generate_series(1, 20000)))");
  EXPECT_TRUE(told.wait([](const heard& all) { return all.all_profiles; }));
}

TEST_F(ChangeFeed, EverythingCountsAsChangedAfterTheConnectionWasLost) {
  ASSERT_TRUE(stands());
  change("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'credence-changes'"
         " AND datname = current_database()");
  EXPECT_TRUE(told.wait([](const heard& all) { return all.silent && all.all_profiles && all.all_projects; }));
  change("UPDATE users SET score = score + 1 WHERE id = 12");
  EXPECT_TRUE(tells_profiles({12}));
}

/// NOTIFY takes a lock at commit that all databases of a server share.
TEST_F(ChangeFeed, NothingIsToldOfWhatVotesAndTipsWrite) {
  auto other = test::look_into(url);
  const auto until = [] { return steady_clock::now() + 60s; };
  other.exec("LISTEN credence_changes", until());
  change("INSERT INTO votes (seq, cast_at, project_id, voter_id, number, period_id, bullish)"
         " SELECT n, now(), 1, n, n, 1, true FROM generate_series(1, 5) n");
  change("INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now(), 5, 0, 1, 'CLAIM')");
  change("UPDATE users SET score = score WHERE id = 13"); // no change
  change("UPDATE users SET score = score + 1 WHERE id = 14");
  EXPECT_EQ(other.notes(until()), (std::vector<std::string>{"profile 14"}));
}

TEST(ToldChanges, WhatCannotBeReadStandsForEverything) {
  const auto after = [](std::string_view note) {
    change_notifications out;
    out.take(note);
    return out;
  };
  EXPECT_EQ(after("profile 1,22,3").profiles.ids, (std::set<std::int32_t>{1, 3, 22}));
  EXPECT_FALSE(after("profile 1,22,3").projects);
  EXPECT_EQ(after("project 7").projects.ids, (std::set<std::int32_t>{7}));
  EXPECT_TRUE(after("project *").projects.all);
  EXPECT_FALSE(after("project *").profiles);
  for (const auto* wrong :
       {"", "profile", "profile ", "profile x", "profile 1,", "profile 1;2", "nobody 1", "99999999999"}) {
    EXPECT_TRUE(after(wrong).profiles.all) << wrong;
    EXPECT_TRUE(after(wrong).projects.all) << wrong;
  }
}

} // namespace
} // namespace credence::persistence
