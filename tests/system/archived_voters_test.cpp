#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/ledger.hpp"
#include "tests/system/service.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace credence::test {
namespace {

constexpr int profiles = 400;
constexpr int archived = 40;
constexpr int first_archived = 200; // and on: what other programs archive while all of them vote

class ArchivedVoters : public testing::Test {
protected:
  ArchivedVoters() {
    server.start({"--admin", "1", "--http-rate-limits", "false"});
    EXPECT_EQ(server.client().post("/api/v2/projects/votes/reallocate", "", server.token(1)).status, 200);
  }

  /// Every live profile votes on every project while one profile after the other is archived.
  void vote_while_some_are_archived() {
    std::atomic<bool> stop{false};
    const auto archive = [this](int i) {
      server.database().sql("UPDATE profiles SET archived = true WHERE id = " + std::to_string(first_archived + i));
    };
    for (int i = 0; i < 4; ++i)
      archive(i);
    std::thread other{[&] {
      for (int i = 4; i < archived; ++i)
        archive(i);
    }};
    std::vector<int> voters; // those who are archived first, before the server looks at everybody again by itself
    for (int i = 0; i < archived; ++i)
      voters.push_back(first_archived + i);
    voters.insert(voters.end(), server.voters().begin(), server.voters().end());
    history.vote(voters, projects, 16, stop);
    other.join();
  }
  std::int64_t refused_by_the_database() {
    const auto metrics = http_client{server.operator_port()}.get("/metrics").body;
    const std::string name = "\ncredence_store_changes_failed_total ";
    return std::stoll(metrics.substr(metrics.find(name) + name.size()));
  }
  static bool was_archived(int profile) { return profile >= first_archived && profile < first_archived + archived; }

  service server{service::size{profiles, 8, 500}};
  ledger history{server};
  const std::vector<int> projects{1, 2, 3};
};

/// Other programs archive people while those vote, and nobody tells: the database has to refuse
/// their votes. They are told why, and whoever shares a batch with them notices nothing.
TEST_F(ArchivedVoters, AreToldSoByTheDatabaseAndNobodyElseNotices) {
  server.database().sql("ALTER TABLE profiles DISABLE TRIGGER tell_changed");
  vote_while_some_are_archived();
  EXPECT_EQ(history.count(attempt::unknown), 0u) << "of " << history.attempts().size();
  for (const auto& each : history.attempts())
    if (each.fate == attempt::refused) {
      EXPECT_TRUE(was_archived(each.profile)) << each.profile;
    }
  EXPECT_EQ(history.violations(projects), std::vector<std::string>{});
  EXPECT_GT(refused_by_the_database(), 0) << "none of them voted in time: the test shows nothing";
}

/// Where it is told, their votes do not reach the database.
TEST_F(ArchivedVoters, AreKnownBeforeTheirVotesReachTheDatabase) {
  server.database().sql("UPDATE profiles SET archived = true WHERE id BETWEEN 300 AND 339");
  auto client = server.client();
  const auto status = [&] {
    return client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(300)).status;
  };
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (; status() != 403; std::this_thread::sleep_for(std::chrono::milliseconds{5}))
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  const auto before = refused_by_the_database();
  for (int profile = 301; profile < 340; ++profile)
    if (const auto& voters = server.voters(); std::find(voters.begin(), voters.end(), profile) != voters.end()) {
      const auto answer = client.post("/api/v2/projects/1/votes", R"({"voteType":"BULLISH"})", server.token(profile));
      EXPECT_EQ(answer.status, 403) << answer.body;
      EXPECT_EQ(json_text(answer.body, "/code"), "PROFILE_NOT_LIVE");
    }
  EXPECT_EQ(refused_by_the_database(), before);
}

} // namespace
} // namespace credence::test
