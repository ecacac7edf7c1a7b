#pragma once

#include "actors/domain/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

/// What one route or one client came to in a step.
struct series_part {
  std::uint32_t name = 0; // its number; 0: nobody
  std::uint32_t requests = 0, errors = 0, refusals = 0;
  std::uint32_t extra = 0; // of a route the 99th percentile in microseconds, of a client the answers with 429
};

/// What was counted in a step of time: a second or a minute.
struct series_point {
  static constexpr std::uint32_t unknown = UINT32_MAX; // a quantile of nothing
  static constexpr std::size_t routes_max = 12, clients_max = 8;

  std::uint32_t at = 0;         // when the step began, in Unix seconds; 0: nothing is kept
  std::uint32_t counted_ms = 0; // for how long of it the server was there
  std::uint32_t requests = 0, errors = 0, refusals = 0, limited = 0;
  std::uint32_t votes = 0, trades = 0, tips = 0, batches = 0, changes = 0;
  std::uint32_t queued = 0;       // the most
  std::uint32_t database_mib = 0; // that the database takes; 0: not known
  std::uint32_t p50_us = unknown, p99_us = unknown, commit_p50_us = unknown, commit_p99_us = unknown;
  std::array<series_part, routes_max> routes{};   // the busiest of that step
  std::array<series_part, clients_max> clients{}; // likewise
};

/// What happened at a moment that figures may have to do with.
enum class mark_kind : std::uint8_t { start, deployment, stop, act, alert, alert_over };
inline constexpr std::array<std::string_view, 6> mark_kind_names{"start", "deployment", "stop",
                                                                 "act",   "alert",      "alertOver"};
/// How many of each kind are kept, the newest: those of one kind push out none of another.
inline constexpr std::array<std::size_t, 6> marks_kept_of{128, 128, 128, 384, 128, 128};
struct series_mark {
  static constexpr std::size_t text_max = 116;
  std::int64_t at_ms = 0;
  mark_kind kind{};
  std::uint8_t length = 0;
  std::array<char, text_max> text{};

  std::string_view words() const noexcept { return {text.data(), std::min<std::size_t>(length, text_max)}; }
};

/// Of what time the figures are wanted, and of whom; all where neither is named.
struct series_question {
  std::int64_t from = 0, to = 0; // Unix seconds; `to` is not a part of it
  std::optional<std::string> route, client;
  std::size_t values_max = 600;
};

/// What one route or client came to in the time asked for.
struct series_total {
  std::string name;
  std::int64_t requests = 0, errors = 0, refusals = 0, limited = 0;
  std::optional<std::int64_t> p99_us; // the highest of its steps; of routes
};

struct series_answer {
  std::chrono::seconds step{1};
  std::vector<series_point> values; // the oldest first, without parts; steps in which the server was away are not there
  std::vector<series_total> routes, clients; // the busiest first
  std::vector<series_mark> marks;            // the oldest first
};

/// The figures of the last hour by second and of the last fortnight by minute. They take the same room all the time,
/// in memory and in a file of `bytes`, to which each is written as it comes, so that also a process that is killed
/// loses no more than a minute. Where the file cannot be had or written to, or another process has it, they are in
/// memory alone. Belongs to one thread.
class kept_series {
public:
  static constexpr std::int64_t seconds_kept = 3'600;
  static constexpr std::int64_t minutes_kept = 14 * 24 * 60;
  static constexpr std::size_t marks_kept = std::accumulate(marks_kept_of.begin(), marks_kept_of.end(), std::size_t{});
  static constexpr std::size_t names_kept = 1'024;
  /// Of all of it.
  static std::size_t bytes() noexcept;

  /// `file` may be empty: in memory alone.
  explicit kept_series(const std::string& file);
  ~kept_series();
  kept_series(const kept_series&) = delete;
  kept_series& operator=(const kept_series&) = delete;

  /// Whether a restart finds it again.
  bool outlives_process() const noexcept { return file_ >= 0; }

  /// The number by which points call a route or client; 0 where there are too many.
  enum class named : char { route = 'r', client = 'c' };
  std::uint32_t number_of(named what, std::string_view name);

  /// Adds what was counted in the second or minute at which the point begins.
  void add_second(const series_point& more);
  void add_minute(const series_point& more);
  void mark(timestamp at, mark_kind kind, std::string_view text);
  /// The newest one of that kind; null: none.
  const series_mark* newest(mark_kind kind) const;

  /// From seconds where the last hour has all that is asked for, else from minutes. `now` is in Unix seconds.
  series_answer read(const series_question& question, std::int64_t now) const;

private:
  struct layout;

  std::string_view name(std::uint32_t number) const;
  series_mark& mark_of(mark_kind kind, std::uint64_t number) const;
  void free_names();
  template <class Part>
  void keep(const Part& part);
  void give_up(const char* why);

  layout* all_ = nullptr;
  int file_ = -1;                        // negative: in memory alone
  std::array<bool, names_kept> given_{}; // numbers of this process
  std::int64_t names_freed_at_ = 0;
};

} // namespace credence::http::admin
