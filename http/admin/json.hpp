#pragma once

#include "actors/domain/time.hpp"
#include "http/call/json_writer.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

/// How the admin API writes what all of its answers have.
namespace credence::http::admin {

/// Unix milliseconds.
inline std::int64_t ms_of(timestamp at) {
  return std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
}
inline std::optional<std::int64_t> ms_of(const std::optional<timestamp>& at) {
  return at ? std::optional{ms_of(*at)} : std::nullopt;
}

/// `{"values":[…]}`, each as `each` writes it; `more` writes further members.
template <class Values, class Each, class More>
void write_values(json_writer& to, const Values& values, Each each, More more) {
  to.begin_object();
  to.key("values");
  to.begin_array();
  for (const auto& one : values)
    each(one);
  to.end_array();
  more();
  to.end_object();
}
template <class Values, class Each>
void write_values(json_writer& to, const Values& values, Each each) {
  write_values(to, values, each, [] {});
}

} // namespace credence::http::admin
