#pragma once

#include "ops/metrics.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace credence::ops {

/// A count per client of one endpoint, by the name that clients give themselves. The names
/// are anybody's, so only the first few have a count of their own. No lock: a name comes
/// once and stays.
class client_counts {
public:
  static constexpr std::size_t clients_max = 16;

  client_counts() = default;
  ~client_counts();
  client_counts(const client_counts&) = delete;
  client_counts& operator=(const client_counts&) = delete;

  /// `client` as X-Service-Client has it: the name counts, up to an `@`. Empty: `none`.
  void add(std::string_view client);
  /// Every count that is not 0, with its name; also of `none` and `other`.
  void each(const std::function<void(const std::string& client, std::int64_t count)>& take) const;

private:
  struct named {
    std::string name;
    counter count;
  };
  counter& of(std::string_view name);

  std::array<std::atomic<named*>, clients_max> clients_{};
  counter none_;
  counter other_;
};

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
