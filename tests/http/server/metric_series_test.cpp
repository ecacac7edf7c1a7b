#include "http/routes.hpp"
#include "http/server/route_table.hpp"
#include "ops/metrics.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace credence::http {
namespace {

/// Prometheus keeps every series of every instance: a server must not bring thousands.
TEST(MetricSeries, AreFewWithEveryRouteUsedByManyClients) {
  const route_table all{routes()};
  route_table::match found;
  for (const auto& each : routes()) {
    all.find(each.path, found);
    const auto* entry = found.by_method[static_cast<std::size_t>(each.verb)];
    ASSERT_NE(entry, nullptr) << each.path;
    for (const std::size_t kind : {2, 4, 5})
      entry->metrics->status[kind].add();
    entry->metrics->latency.observe(std::chrono::milliseconds{1});
    if (entry->deprecated)
      for (int i = 0; i < 100; ++i)
        entry->deprecated->clients.add("client" + std::to_string(i) + "@1.0");
  }
  auto& metrics = ops::the_metrics();
  metrics.provider.reads.add();
  metrics.news.on.set(1);
  std::istringstream text{metrics.render()};
  int series = 0;
  bool cpu_is_a_counter = false;
  for (std::string line; std::getline(text, line);) {
    series += !line.empty() && line[0] != '#';
    cpu_is_a_counter = cpu_is_a_counter || line == "# TYPE process_cpu_seconds_total counter";
  }
  metrics.news.on.set(0);
  EXPECT_LT(series, 2000);
  EXPECT_GT(series, 500) << "they are there";
  EXPECT_TRUE(cpu_is_a_counter);
}

TEST(MetricSeries, OfAReadAreThoseOfItsResourceUnlessItIsSentAllTheTime) {
  const auto measured = [](method verb, std::string_view path) {
    for (const auto& each : routes())
      if (each.verb == verb && each.path == path)
        return std::string{measured_as(each)};
    return "there is no " + std::string{path};
  };
  EXPECT_EQ(measured(method::get, "/api/v2/users/search"), "/api/v2/users");
  EXPECT_EQ(measured(method::post, "/api/v2/activities/profile/all"), "/api/v2/activities") << "a read by POST";
  EXPECT_EQ(measured(method::get, "/api/v1/markets/holdings/{address}/total"), "/api/v1/markets");
  EXPECT_EQ(measured(method::post, "/api/v2/projects/{projectId}/votes"), "/api/v2/projects/{projectId}/votes");
  EXPECT_EQ(measured(method::post, "/api/v2/wallets/managed/post/review/by-x"), "/api/v2/wallets")
    << "as slow as the chain";
  for (const auto* hot :
       {"/api/v2/projects/votes/balance", "/api/v2/projects/{projectId}/voters", "/api/v2/projects/{projectId}/chart",
        "/api/v2/projects/votes/bulk-totals", "/api/v2/internal/listings", "/api/v2/internal/listings/{username}",
        "/api/v2/score/address", "/api/v2/score/userkey", "/api/v2/user/by/x/{accountIdOrUsername}"})
    EXPECT_EQ(measured(method::get, hot), hot);
  for (const auto* hot : {"/api/v2/score/addresses", "/api/v2/score/userkeys", "/api/v2/users/by/x"})
    EXPECT_EQ(measured(method::post, hot), hot);
}

} // namespace
} // namespace credence::http
