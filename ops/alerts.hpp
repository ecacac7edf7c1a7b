#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What an operator is told of: the rules for Prometheus (ops/prometheus/alerts.yml) as a table, which ops/alerts.py
/// makes of them and the server itself looks through for the conditions on its overview (ops/alert_watch.hpp).
namespace credence::ops {

/// What is read off the series of a metric.
enum class reading : std::uint8_t {
  value,
  increase,   // over the window
  rate,       // a second, over the window
  changes,    // how often the value changed within the window; not known before one has passed
  quantile99, // of a duration, over the window
  age,        // of a moment in Unix time; 0 is no moment, and has none
};

struct label_match {
  std::string_view name;
  std::string_view value; // `failed|limited` stands for either
};

/// A number that is read off the metrics.
struct term {
  reading how{};
  std::string_view metric; // as it is exposed; of a duration without `_bucket`
  std::chrono::seconds over{0};
  std::vector<label_match> where = {};
  bool summed = false; // over all series of the instance; else each series is judged by itself
  bool subtracted = false;
};

/// `terms` added up, divided by `divisor` where there is one, against a bound.
struct comparison {
  std::vector<term> terms;
  enum class how : std::uint8_t { is, above } against{};
  double bound = 0;
  std::vector<term> divisor = {};
};

/// One thing that an operator should see to.
struct alert {
  std::string_view name;         // its section in docs/operating.md is called so, too
  bool page = false;             // for somebody who sleeps; else for the next working day
  std::chrono::seconds after{0}; // how long it has to hold before it fires
  /// Any of these, each of them all of its comparisons. Empty: only Prometheus can tell.
  std::vector<std::vector<comparison>> when;
  std::string_view only_prometheus; // its expression then
  /// `{value}` stands for the number (the greatest, where several series are meant), `{kind}` for the label of that
  /// name.
  std::string_view summary;
  enum class unit : std::uint8_t { none, seconds, share } in{};
  std::string_view action;
};

const std::vector<alert>& alerts();

/// The anchor of its section in docs/operating.md.
std::string section_of(const alert& of);

} // namespace credence::ops
