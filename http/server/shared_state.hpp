#pragma once

#include "http/callers/client_address.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/server/bounds.hpp"
#include "http/server/route_table.hpp"
#include "http/server/server.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace credence::http {

/// State that both listeners and all threads of one server share.
struct shared_state {
  static constexpr std::int32_t patients_max =
    128; // at most half of what the chain's door lets in (http/commands/serve.cpp)
  static constexpr std::int32_t patients_of_one_max = 16; // of one caller
  explicit shared_state(services s);
  services with;
  route_table table;
  route_table admin_table;       // of the admin listener
  ops::route_metrics& unmatched; // answers that belong to no route
  /// Answers of /livez and /readyz. They are not measured: who probes a server that is not ready gets 503, and nothing
  /// has failed.
  ops::route_metrics probes{"GET", "health", {}, {}};
  std::shared_ptr<gate> in_flight;
  std::shared_ptr<caller_gate> patients; // requests that wait longer than others
  write_gate writes;
  std::atomic<std::uint32_t> connections{0}; // of the public listener
  std::atomic<std::uint32_t> operator_connections{0};
  std::atomic<std::uint32_t> admin_connections{0};
  write_pause pause;
  std::atomic<bool> draining{false};
  std::atomic<bool> opened{false}; // the API answers
  address_shares per_address;      // connections; behind a proxy, requests
  unsent_answers unsent;
  std::string own_origin; // of http.public_url, as browsers send it
  address_ranges trusted_proxies;
  rate_limiter limits;
};

} // namespace credence::http
