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

} // namespace
} // namespace credence::http
