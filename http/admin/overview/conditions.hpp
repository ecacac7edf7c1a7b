#pragma once

#include "actors/domain/time.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

class desk;

/// Something that an operator should see to.
struct condition {
  std::string_view name; // as the alert of Prometheus is called (ops/prometheus/alerts.yml); its section in docs/operating.md has that name
  bool page = false;     // for somebody who sleeps; else for the next working day
  std::string summary;
  std::string_view action;
  timestamp since{};
};

/// Conditions as this process sees them now. Prometheus' alerts of the same names look at longer times.
std::vector<condition> conditions_now(const desk& of, timestamp now);

} // namespace credence::http::admin
