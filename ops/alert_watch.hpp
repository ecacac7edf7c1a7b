#pragma once

#include "ops/alerts.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::ops {

class exposition;

/// An alert whose condition holds.
struct holding_alert {
  const alert* which = nullptr;
  std::string summary; // with its numbers
  std::chrono::system_clock::time_point since{};
  bool fires = false; // it has held for as long as the alert asks
};

/// Looks through the table of alerts as Prometheus does, at what the process exposes. Counters of a process begin at 0,
/// so what a window holds is known from the start. One thread.
class alert_watch {
public:
  using steady = std::chrono::steady_clock::time_point;
  using wall = std::chrono::system_clock::time_point;

  /// The families of metrics that the table reads; `look` needs no others.
  static const std::set<std::string_view>& reads();
  /// Looks at the metrics; to be called every ten seconds at least.
  void look(const exposition& at, steady now, wall at_wall);
  /// What held at the last look, in the order of the table.
  const std::vector<holding_alert>& holding() const noexcept { return holding_; }

private:
  struct point {
    steady at;
    double value;
  };
  /// Of one term: what was read of each of its series, by their labels.
  struct history {
    std::map<std::string, std::deque<point>> points;
  };
  struct judged {
    double value;
    std::string kind; // the label that tells the series apart; empty where there is one
  };
  using numbers = std::map<std::string, double>; // by labels

  numbers read(const term& of, const exposition& at);
  numbers over_window(const term& of, history& of_term, const numbers& now_read);
  numbers sum(const std::vector<term>& of, const exposition& at);
  std::vector<judged> judge(const comparison& by, const exposition& at);
  std::vector<judged> judge(const alert& by, const exposition& at);

  std::map<const term*, history> kept_;
  std::map<const alert*, std::pair<steady, wall>> since_;
  std::vector<holding_alert> holding_;
  std::optional<steady> began_;
  steady now_{};
  wall wall_{};
  bool keeps_ = false;            // this look is remembered
  std::optional<steady> kept_at_; // the last one that was
};

} // namespace credence::ops
