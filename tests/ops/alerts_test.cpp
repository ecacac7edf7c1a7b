#include "http/admin/pages.hpp"
#include "ops/alert_watch.hpp"
#include "ops/alerts.hpp"
#include "ops/exposition.hpp"
#include "tests/build_paths.hpp"
#include "tests/ops/alert_rules.hpp"
#include "tests/text_of_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace credence::ops {
namespace {

using namespace std::chrono_literals;

/// So the server judges what Prometheus does.
TEST(Alerts, TheFileOfRulesIsWhatTheTableMakes) {
  const auto file = test::text_of_file(test::built::source + "/ops/prometheus/alerts.yml");
  EXPECT_EQ(file.substr(file.find("groups:")), alert_rules());
}

TEST(Alerts, AreToldByTheServerButForAFew) {
  const auto& all = alerts();
  const auto only =
    std::count_if(all.begin(), all.end(), [](const alert& each) { return !each.only_prometheus.empty(); });
  EXPECT_LE(only, 7);
  std::set<std::string_view> names;
  for (const auto& each : all) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name << " is there twice";
    EXPECT_NE(each.only_prometheus.empty(), each.when.empty()) << each.name << " is told in one way";
    EXPECT_EQ(each.action.find('"'), each.action.npos) << each.name;
  }
}

/// Also in the page that this executable shows in its console, whose anchors are headings in lower case.
TEST(Alerts, LeadToASectionOfThePageThatTheConsoleShows) {
  const std::string page{http::admin::find_embedded("operating.md")->content};
  const auto rules = alert_rules();
  for (const auto& each : alerts()) {
    EXPECT_NE(page.find("\n### " + std::string{each.name} + "\n"), page.npos) << each.name;
    EXPECT_NE(rules.find("}" + section_of(each) + "\"\n"), rules.npos) << each.name;
  }
}

/// The server looks for conditions all the time, so it collects what the table reads and nothing else.
TEST(Alerts, ReadNoOtherMetricsThanTheyName) {
  exposition all;
  the_metrics().expose(all);
  exposition some{alert_watch::reads()};
  the_metrics().expose(some);
  const auto samples = [](const exposition& of, const std::string& name) {
    int count = 0;
    of.each(name, [&](const exposition::labels&, double) { ++count; });
    return count;
  };
  for (const auto name : alert_watch::reads())
    for (const auto& series : {std::string{name}, std::string{name} + "_bucket"})
      EXPECT_EQ(samples(some, series), samples(all, series)) << series;
  EXPECT_GT(samples(some, "credence_store_writable"), 0);
  EXPECT_GT(samples(all, "credence_http_accepted_total"), 0);
  EXPECT_EQ(samples(some, "credence_http_accepted_total"), 0);
}

/// A server's metrics over time, with all that a server may have, and what an operator is told of them.
struct AlertWatch : testing::Test {
  /// Passes so much time, with a look every two seconds; `count` shows what there is.
  void pass(std::chrono::seconds time, const std::function<void(exposition&)>& count) {
    for (const auto until = now_ + time; now_ < until; now_ += 2s) {
      exposition at;
      count(at);
      watch_.look(at, alert_watch::steady{now_}, alert_watch::wall{now_ + 1'000'000s});
    }
  }
  const holding_alert* told(std::string_view name) const {
    const auto& all = watch_.holding();
    const auto found =
      std::find_if(all.begin(), all.end(), [&](const holding_alert& each) { return each.which->name == name; });
    return found == all.end() ? nullptr : &*found;
  }

  std::chrono::seconds now_{1000};
  alert_watch watch_;
};

TEST_F(AlertWatch, TellsOfAGaugeAtOnceAndFiresOnceItHasLasted) {
  const auto writable = [](double value, double standby = 0) {
    return [=](exposition& to) {
      to.gauge_value("credence_store_writable", "h", value);
      to.gauge_value("credence_standby", "h", standby);
    };
  };
  pass(30s, writable(0, 1));
  EXPECT_FALSE(told("CredenceCannotWrite")) << "a standby writes nothing, and nothing is wrong";
  pass(2s, writable(1));
  EXPECT_FALSE(told("CredenceCannotWrite"));
  pass(2s, writable(0));
  ASSERT_TRUE(told("CredenceCannotWrite"));
  EXPECT_FALSE(told("CredenceCannotWrite")->fires);
  const auto since = told("CredenceCannotWrite")->since;
  pass(12s, writable(0));
  EXPECT_TRUE(told("CredenceCannotWrite")->fires);
  EXPECT_EQ(told("CredenceCannotWrite")->since, since);
  pass(2s, writable(1));
  EXPECT_FALSE(told("CredenceCannotWrite"));
}

TEST_F(AlertWatch, TellsOfAQuorumThatIsLostAndOfOneThatIsThin) {
  const auto there = [](double count) {
    return [count](exposition& to) {
      to.gauge_value("credence_database_quorum_needed", "h", 1);
      to.gauge_value("credence_database_quorum_named", "h", 2);
      to.gauge_value("credence_database_quorum_there", "h", count);
    };
  };
  pass(2s, there(2));
  EXPECT_FALSE(told("CredenceQuorumThin"));
  EXPECT_FALSE(told("CredenceQuorumLost"));
  pass(2s, there(1));
  EXPECT_TRUE(told("CredenceQuorumThin"));
  EXPECT_FALSE(told("CredenceQuorumLost"));
  pass(2s, there(0));
  EXPECT_FALSE(told("CredenceQuorumThin")) << "it is worse";
  ASSERT_TRUE(told("CredenceQuorumLost"));
  EXPECT_EQ(told("CredenceQuorumLost")->summary, "PostgreSQL lacks 1 of the standbys that every commit waits for");
}

TEST_F(AlertWatch, NamesTheStandbyThatLags) {
  const auto lags = [](double bytes) {
    return [bytes](exposition& to) {
      to.gauge_value("credence_database_standby_lag_seconds", "h", 0, {{"standby", "east"}});
      to.gauge_value("credence_database_standby_lag_bytes", "h", bytes, {{"standby", "east"}});
    };
  };
  pass(2s, lags(1e6));
  EXPECT_FALSE(told("CredenceStandbyLags"));
  pass(2s, lags(1e9));
  ASSERT_TRUE(told("CredenceStandbyLags"));
  EXPECT_EQ(told("CredenceStandbyLags")->summary, "the standby east of PostgreSQL lags behind");
}

TEST_F(AlertWatch, SaysWhichSeriesItMeansAndHowMuch) {
  pass(2s, [](exposition& to) {
    to.gauge_value("credence_actor_oldest_wait_seconds", "h", 0.75, {{"kind", "market"}});
    to.gauge_value("credence_actor_oldest_wait_seconds", "h", 0.1, {{"kind", "project"}});
    to.gauge_value("credence_chain_state", "h", 1, {{"state", "following"}});
    to.gauge_value("credence_chain_state", "h", 0, {{"state", "halted"}});
  });
  ASSERT_TRUE(told("CredenceActorsBehind"));
  EXPECT_EQ(told("CredenceActorsBehind")->summary, "questions wait 750 ms for an actor of kind market");
  EXPECT_FALSE(told("CredenceChainHalted"));
}

TEST_F(AlertWatch, CountsWithinTheWindowFromTheBeginningOfTheProcess) {
  const auto refused = [](std::int64_t count) {
    return [count](exposition& to) { to.counter_value("credence_store_changes_failed_total", "h", count); };
  };
  pass(2s, refused(1)); // before the first look
  EXPECT_TRUE(told("CredenceChangeRefusedByDatabase"));
  pass(14min, refused(1));
  EXPECT_TRUE(told("CredenceChangeRefusedByDatabase"));
  pass(2min, refused(1));
  EXPECT_FALSE(told("CredenceChangeRefusedByDatabase")) << "a quarter of an hour is over";
  pass(2s, refused(2));
  EXPECT_TRUE(told("CredenceChangeRefusedByDatabase"));
}

TEST_F(AlertWatch, TakesTheShareOfAllSeriesTogether) {
  std::int64_t seconds = 0;
  const auto answered = [&](std::int64_t bad_a_second) {
    return [&, bad_a_second](exposition& to) {
      seconds += 2;
      to.counter_value("credence_http_requests_total", "h", 100 * seconds, {{"route", "/a"}, {"status", "2xx"}});
      to.counter_value("credence_http_requests_total", "h", bad_a_second * seconds,
                       {{"route", "/b"}, {"status", "5xx"}});
    };
  };
  pass(60s, answered(0));
  EXPECT_FALSE(told("CredenceServerErrors"));
  seconds = 0;
  watch_ = {};
  pass(60s, answered(25));
  ASSERT_TRUE(told("CredenceServerErrors"));
  EXPECT_EQ(told("CredenceServerErrors")->summary, "20 % of the answers are 5xx");
}

TEST_F(AlertWatch, TellsOfRoomThatRunsOut) {
  const auto used = [](double bytes) {
    return [bytes](exposition& to) {
      to.gauge_value("credence_data_disk_used_bytes", "h", bytes);
      to.gauge_value("credence_data_disk_size_bytes", "h", 1000);
      to.gauge_value("credence_database_connections", "h", bytes / 10);
      to.gauge_value("credence_database_connections_max", "h", 100);
    };
  };
  pass(2s, used(700));
  EXPECT_TRUE(watch_.holding().empty());
  pass(2s, used(950));
  ASSERT_TRUE(told("CredenceDataDiskFills"));
  EXPECT_EQ(told("CredenceDataDiskFills")->summary, "the disk with data_dir is filled to 95 %");
  ASSERT_TRUE(told("CredenceDatabaseConnections"));
  EXPECT_EQ(told("CredenceDatabaseConnections")->summary, "95 % of the connections that PostgreSQL takes are in use");
}

TEST_F(AlertWatch, ReadsAQuantileOffTheBuckets) {
  histogram fast;
  histogram slow;
  for (int i = 0; i < 100; ++i) {
    fast.observe(2ms);
    slow.observe(i < 90 ? 2ms : 200ms);
  }
  pass(2s, [&](exposition& to) { to.durations("credence_store_commit_seconds", "h", fast); });
  EXPECT_FALSE(told("CredenceSlowCommits"));
  watch_ = {};
  pass(2s, [&](exposition& to) { to.durations("credence_store_commit_seconds", "h", slow); });
  ASSERT_TRUE(told("CredenceSlowCommits"));
  EXPECT_EQ(told("CredenceSlowCommits")->summary, "a batch takes 235 ms to commit at p99");
}

TEST_F(AlertWatch, KnowsAnAgeAndThatNothingHasNone) {
  const auto oldest = [](double at) {
    return [at](exposition& to) { to.gauge_value("credence_score_oldest_seconds", "h", at); };
  };
  pass(2s, oldest(0));
  EXPECT_FALSE(told("CredenceScoresBehind"));
  pass(2s, oldest(1'000'000 + 1002 - 720));
  ASSERT_TRUE(told("CredenceScoresBehind"));
  EXPECT_EQ(told("CredenceScoresBehind")->summary,
            "scores have not been worked out for 12 min after what they should show");
}

TEST_F(AlertWatch, WaitsForAWholeWindowBeforeItCallsSomethingStill) {
  std::int64_t tip = 0;
  const auto chain = [&](exposition& to) {
    to.gauge_value("credence_chain_authority", "h", 90);
    to.gauge_value("credence_chain_tip", "h", static_cast<double>(++tip));
  };
  pass(29min, chain);
  EXPECT_FALSE(told("CredenceChainSettlesNothing"));
  pass(2min, chain);
  EXPECT_TRUE(told("CredenceChainSettlesNothing"));
}

TEST_F(AlertWatch, JoinsComparisonsAndEitherSide) {
  const auto news = [](double breaker, std::int64_t failed, std::int64_t lost_by_chain) {
    return [=](exposition& to) {
      to.gauge_value("credence_news_breaker", "h", breaker);
      to.counter_value("credence_news_lookups_total", "h", failed, {{"result", "failed"}});
      to.counter_value("credence_news_lookups_total", "h", 0, {{"result", "limited"}});
      to.counter_value("credence_news_lookups_total", "h", 50, {{"result", "found"}});
      to.counter_value("credence_chain_store_unknown_outcomes_total", "h", lost_by_chain);
      to.counter_value("credence_chain_store_resolved_stored_total", "h", 1);
      to.counter_value("credence_chain_store_resolved_absent_total", "h", 0);
    };
  };
  pass(2s, news(1, 0, 1));
  EXPECT_TRUE(watch_.holding().empty());
  pass(2s, news(0, 3, 1));
  EXPECT_TRUE(watch_.holding().empty());
  pass(2s, news(1, 3, 2));
  EXPECT_TRUE(told("CredenceNewsSourceAway"));
  EXPECT_TRUE(told("CredenceUnresolvedOutcome"));
}

/// A metric that is spelt otherwise would never fire. What the server does not expose here it exposes with a chain,
/// wallets or a provider only.
TEST(Alerts, LookAtMetricsThatThereAre) {
  std::string code;
  for (const std::string_view file : {"metrics.cpp", "metrics.hpp", "chain_metrics.hpp"})
    code += test::text_of_file(test::built::source + "/ops/" + std::string{file});
  const auto there = [&](std::string_view metric) {
    if (code.find("\"" + std::string{metric} + "\"") != code.npos)
      return true;
    for (const std::string_view writer : {"credence_chain_store", "credence_store"}) // names that are put together
      if (metric.starts_with(writer)
          && code.find("of + \"" + std::string{metric.substr(writer.size())} + "\"") != code.npos)
        return true;
    return false;
  };
  for (const auto& each : alerts())
    for (const auto& all : each.when)
      for (const auto& comparison : all)
        for (const auto& term : comparison.terms)
          EXPECT_TRUE(there(term.metric)) << each.name << " looks at " << term.metric;
}

} // namespace
} // namespace credence::ops
