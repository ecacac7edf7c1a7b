#pragma once

#include "actors/domain/time.hpp"
#include "http/admin/series.hpp"
#include "ops/alert_watch.hpp"
#include "ops/metrics.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

class admin_context;

/// What had been counted at a moment.
struct counted {
  steady_time at{};
  timestamp wall{};
  std::int64_t requests = 0, errors = 0, refusals = 0, limited = 0; // of the public listener
  std::int64_t votes = 0, trades = 0, tips = 0;
  std::int64_t batches = 0, changes = 0;
  std::int64_t queued = 0;
  ops::histogram::snapshot latency, commit;
  std::array<std::int64_t, ops::actor_kind_names.size()> handled{};
};

/// What happened between two moments.
struct rates {
  bool known = false;                                                                          // there were two moments
  double requests = 0, errors = 0, refusals = 0, votes = 0, trades = 0, tips = 0, batches = 0; // a second
  std::optional<double> changes_per_batch;
  std::optional<double> p50_ms, p99_ms, commit_p50_ms, commit_p99_ms;
};

/// The quantile of what came between two readings, in milliseconds; nothing where nothing came.
std::optional<double> quantile_ms(const ops::histogram::snapshot& before, const ops::histogram::snapshot& after,
                                  double which);
rates between(const counted& before, const counted& after);

/// Reads the server's own metrics once a second: some thousand additions, whoever looks. Remembers the last minute of
/// them, and keeps what they come to by second and by minute, with what happened meanwhile.
class metrics_history {
public:
  static constexpr std::chrono::seconds step{1};
  static constexpr std::size_t kept_max = 61;

  /// `file` keeps the figures over restarts; may be empty.
  metrics_history(const admin_context& of, const std::string& file);
  /// Keeps the minute that has begun, and that the process ends by itself.
  ~metrics_history();
  metrics_history(const metrics_history&) = delete;
  metrics_history& operator=(const metrics_history&) = delete;

  void tick(steady_time now);
  /// What holds now: what began or is over since the last time is marked.
  void note(const std::vector<ops::holding_alert>& holding);
  /// Somebody did something.
  void note_act(std::string_view text);

  bool empty() const noexcept { return kept_.empty(); }
  const counted& latest() const { return kept_.back(); }
  /// Over the last so many steps, or as many as there are.
  rates over(std::size_t steps) const;
  /// How much of each kind of actor was handled in a second, lately.
  double handled_per_second(std::size_t kind) const;
  const kept_series& series() const noexcept { return series_; }

private:
  /// What a route had answered, or has between two moments.
  struct answers {
    std::int64_t requests = 0, errors = 0, refusals = 0;
    ops::histogram::snapshot latency;
  };
  struct measured_route {
    const ops::route_metrics* metrics = nullptr;
    std::uint32_t number = 0;
    bool posts = false;
    answers seen, this_second, this_minute;
  };
  struct asked {
    std::int64_t requests = 0, errors = 0, refusals = 0, limited = 0;
  };
  struct measured_client {
    std::uint32_t number = 0;
    asked seen, this_second, this_minute;
  };

  void mark_start();
  counted count(steady_time now);
  void count_routes(counted& to);
  void count_clients();
  series_point point(const counted& before, const counted& after, answers measured_route::*of_route,
                     asked measured_client::*of_client) const;
  void end_minute(const counted& at);

  const admin_context& context_;
  kept_series series_;
  std::vector<measured_route> routes_;
  std::map<std::string, measured_client, std::less<>> clients_;
  std::deque<counted> kept_; // the oldest first
  std::optional<counted> minute_began_;
  std::uint32_t minute_queued_ = 0; // the most since then
  std::vector<const ops::alert*> held_;
  steady_time next_{};
};

} // namespace credence::http::admin
