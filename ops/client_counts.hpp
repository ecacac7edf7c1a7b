#pragma once

#include "ops/metrics.hpp"
#include "ops/per_client.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace credence::ops {

/// A count per client of one endpoint.
class client_counts {
public:
  static constexpr std::size_t clients_max = 16;

  /// `client` as X-Service-Client has it.
  void add(std::string_view client) { counts_.of(client).add(); }
  /// Every count that is not 0, with its name; also of `none` and `other`.
  void each(const std::function<void(const std::string& client, std::int64_t count)>& take) const;

private:
  per_client<counter, clients_max> counts_;
};

/// What requests of one client came to, on the public listener.
struct client_traffic {
  counter requests;
  counter client_errors; // 4xx, also 429
  counter rate_limited;  // 429
  counter server_errors; // 5xx
  counter deprecated;    // to what goes away
};
using traffic_by_client = per_client<client_traffic, 64>;
/// Since the start of the process.
traffic_by_client& the_traffic_by_client();
/// Counts a request that was answered with `status`.
void count_request(std::string_view client, unsigned status, bool to_deprecated);

/// Requests to one deprecated endpoint, by client.
struct deprecated_route {
  std::string route; // GET /api/…
  client_counts clients;
};

/// The counts of one endpoint; call once per route at start, keep the reference.
deprecated_route& add_deprecated_route(std::string_view route);
/// All that there are.
void each_deprecated_route(const std::function<void(const deprecated_route&)>& take);

} // namespace credence::ops
