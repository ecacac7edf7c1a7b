#pragma once

#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "ops/log_ring.hpp"

#include <array>
#include <optional>

namespace credence::http::admin {

inline void write_line(json_writer& to, const ops::kept_line& line) {
  to.begin_object();
  to.field("number", line.number);
  to.field("at", line.at_ms);
  to.field("level", ops::level_name(line.how));
  to.field("event", line.event);
  to.key("fields");
  to.raw(line.fields);
  to.end_object();
}

/// The query's `level`.
inline std::optional<ops::level> read_level(parameters& from) {
  static constexpr std::array<std::string_view, 4> names{"debug", "info", "warn", "error"};
  const auto found = from.choice("level", names);
  return found ? std::optional{static_cast<ops::level>(*found)} : std::nullopt;
}

} // namespace credence::http::admin
