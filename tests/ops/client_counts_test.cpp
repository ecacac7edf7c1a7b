#include "ops/client_counts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

namespace credence::ops {
namespace {

std::map<std::string, std::int64_t> all(const client_counts& of) {
  std::map<std::string, std::int64_t> out;
  of.each([&](const std::string& name, std::int64_t count) { out[name] = count; });
  return out;
}

TEST(ClientCounts, CountsByTheNameBeforeTheVersion) {
  client_counts counts;
  for (const auto* client : {"web", "bot@1.0.0", "bot@1.1.0", "", "@2"})
    counts.add(client);
  EXPECT_EQ(all(counts), (std::map<std::string, std::int64_t>{{"web", 1}, {"bot", 2}, {"none", 2}}));
}

TEST(ClientCounts, HasABound) {
  client_counts counts;
  for (int i = 0; i < 1000; ++i)
    counts.add("client" + std::to_string(i));
  counts.add("client0");
  const auto seen = all(counts);
  EXPECT_EQ(seen.size(), client_counts::clients_max + 1);
  EXPECT_EQ(seen.at("client0"), 2);
  EXPECT_EQ(seen.at("other"), 1000 - static_cast<std::int64_t>(client_counts::clients_max));
}

TEST(ClientCounts, LosesNothingWhenThreadsNameTheSameClients) {
  client_counts counts;
  std::vector<std::thread> all_at_once;
  for (int i = 0; i < 4; ++i)
    all_at_once.emplace_back([&counts] {
      for (int n = 0; n < 6000; ++n)
        counts.add("client" + std::to_string(n % 15));
    });
  for (auto& each : all_at_once)
    each.join();
  const auto seen = all(counts);
  EXPECT_EQ(seen.size(), 15u);
  for (const auto& [name, count] : seen)
    EXPECT_EQ(count, 1600) << name;
}

TEST(ClientCounts, TellWhatRequestsOfAClientCameTo) {
  const auto now = [] {
    std::vector<std::int64_t> out;
    the_traffic_by_client().each([&](std::string_view name, const client_traffic& of) {
      if (name == "counted")
        out = {of.requests.value(), of.client_errors.value(), of.rate_limited.value(), of.server_errors.value(),
               of.deprecated.value()};
    });
    return out;
  };
  for (const unsigned status : {200u, 404u, 429u, 503u})
    count_request("counted@2.1", status, status == 200);
  EXPECT_EQ(now(), (std::vector<std::int64_t>{4, 2, 1, 1, 1}));
}

} // namespace
} // namespace credence::ops
