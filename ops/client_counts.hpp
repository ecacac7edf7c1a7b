#pragma once

#include "ops/metrics.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace credence::ops {

/// Figures per client, by the name that clients give themselves. The names are anybody's, so only the first `Most` have
/// figures of their own. No lock: a name comes once and stays.
template <class Figures, std::size_t Most>
class per_client {
public:
  static constexpr std::size_t clients_max = Most;
  static constexpr std::string_view none_name = "none", other_name = "other"; // whoever calls themselves so is these

  per_client() = default;
  ~per_client() {
    for (auto& each : clients_)
      delete each.load();
  }
  per_client(const per_client&) = delete;
  per_client& operator=(const per_client&) = delete;

  /// Those of a client; `client` as X-Service-Client has it: the name counts, up to an `@`. Empty: those of `none`.
  Figures& of(std::string_view client) {
    const auto name = client.substr(0, client.find('@'));
    if (name.empty() || name == none_name)
      return none_;
    if (name == other_name)
      return other_;
    for (auto& each : clients_) {
      auto* known = each.load(std::memory_order_acquire);
      if (!known) {
        auto fresh = std::make_unique<named>();
        fresh->name = name;
        if (each.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
          return fresh.release()->figures;
      }
      if (known->name == name)
        return known->figures;
    }
    return other_;
  }

  /// `take(name, figures)` for every client, then for `none` and `other`.
  template <class Take>
  void each(Take take) const {
    for (const auto& each : clients_)
      if (const auto* known = each.load(std::memory_order_acquire))
        take(std::string_view{known->name}, known->figures);
    take(none_name, none_);
    take(other_name, other_);
  }

private:
  struct named {
    std::string name;
    Figures figures;
  };

  std::array<std::atomic<named*>, Most> clients_{};
  Figures none_;
  Figures other_;
};

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
