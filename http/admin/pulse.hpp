#pragma once

#include "actors/domain/time.hpp"
#include "ops/metrics.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace credence::http::admin {

class admin_context;

/// What had been counted at a moment.
struct counted {
  steady_time at{};
  timestamp wall{};
  std::int64_t requests = 0, errors = 0, refusals = 0; // of the public listener
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

/// Reads the server's own metrics once a second and remembers five minutes of them: some hundred additions, whoever
/// looks.
class metrics_history {
public:
  static constexpr std::chrono::seconds step{1};
  static constexpr std::size_t kept_max = 301;

  explicit metrics_history(const admin_context& of) : context_(of) {}
  void tick(steady_time now);

  bool empty() const noexcept { return kept_.empty(); }
  const counted& latest() const { return kept_.back(); }
  /// Over the last so many steps, or as many as there are.
  rates over(std::size_t steps) const;
  /// How much of each kind of actor was handled in a second, lately.
  double handled_per_second(std::size_t kind) const;
  const std::deque<counted>& kept() const noexcept { return kept_; }

private:
  counted count(steady_time now) const;

  const admin_context& context_;
  std::deque<counted> kept_; // the oldest first
  steady_time next_{};
};

} // namespace credence::http::admin
