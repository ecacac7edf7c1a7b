#pragma once

#include "ops/log.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The latest lines of the log, kept in memory for whoever looks at them: 2,000 lines and 2 MiB at most. Those of
/// failed requests that differ only in their ids and times count as repeated, so that an outage leaves room for others.
namespace credence::ops {

struct kept_line {
  std::int64_t number = 0; // grows by one from line to line
  std::int64_t at_ms = 0;  // since 1970
  level how{};
  std::string event;
  std::string fields; // a JSON object
};

/// Which lines are meant.
struct line_filter {
  std::int64_t after = 0; // behind this number
  level least = level::debug;
  std::string event = {}; // empty: any
  std::string text = {};  // that they hold; empty: any
  std::size_t limit = 200;
  std::int64_t from_ms = 0;       // of this moment or later
  std::int64_t to_ms = INT64_MAX; // earlier than this one
  bool oldest = false;            // of those that fit, the oldest are meant; else the newest
};

struct kept_lines {
  std::vector<kept_line> lines; // in their order
  std::int64_t last = 0;        // the newest line there is
  bool dropped = false;         // lines behind `after` are gone
};

kept_lines log_lines(const line_filter& by);
std::int64_t newest_log_line() noexcept;

/// `debug`, `info`, `warn`, `error` or `off`: what is logged from here on.
void set_log_level(std::string_view name);
std::string_view level_name(level of) noexcept;

} // namespace credence::ops
