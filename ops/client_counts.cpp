#include "ops/client_counts.hpp"

#include <deque>
#include <mutex>

namespace credence::ops {

namespace {

/// Added at start and never gone; a deque keeps references valid.
struct deprecated_routes {
  std::mutex guard;
  std::deque<deprecated_route> all;
};
deprecated_routes& the_deprecated_routes() {
  static deprecated_routes list;
  return list;
}

} // namespace

void client_counts::each(const std::function<void(const std::string& client, std::int64_t count)>& take) const {
  counts_.each([&](std::string_view client, const counter& count) {
    if (const auto value = count.value(); value > 0)
      take(std::string{client}, value);
  });
}

traffic_by_client& the_traffic_by_client() {
  static traffic_by_client all;
  return all;
}

void count_request(std::string_view client, unsigned status, bool to_deprecated) {
  auto& figures = the_traffic_by_client().of(client);
  figures.requests.add();
  if (status >= 400 && status < 500)
    figures.client_errors.add();
  if (status == 429)
    figures.rate_limited.add();
  if (status >= 500)
    figures.server_errors.add();
  if (to_deprecated)
    figures.deprecated.add();
}

deprecated_route& add_deprecated_route(std::string_view route) {
  auto& list = the_deprecated_routes();
  const std::lock_guard lock{list.guard};
  for (auto& each : list.all)
    if (each.route == route)
      return each;
  auto& fresh = list.all.emplace_back();
  fresh.route = route;
  return fresh;
}

void each_deprecated_route(const std::function<void(const deprecated_route&)>& take) {
  auto& list = the_deprecated_routes();
  const std::lock_guard lock{list.guard};
  for (const auto& each : list.all)
    take(each);
}

} // namespace credence::ops
