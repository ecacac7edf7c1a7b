#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "config/limits.hpp"
#include "http/api/replies.hpp"
#include "http/call/call.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http::admin {

// How the admin API writes what all of its answers have.

/// Unix milliseconds.
inline std::int64_t ms_of(timestamp at) {
  return std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
}
inline std::optional<std::int64_t> ms_of(const std::optional<timestamp>& at) {
  return at ? std::optional{ms_of(*at)} : std::nullopt;
}

/// Answers `{"values":[…]}`: `each(writer, value)` writes the members of one, `more(writer)` members behind them.
template <class Values, class Each, class More>
void reply_values(call& c, const Values& values, Each each, More more) {
  reply_object(c, [&](json_writer& to) {
    to.objects("values", values, [&](const auto& one) { each(to, one); });
    more(to);
  });
}
template <class Values, class Each>
void reply_values(call& c, const Values& values, Each each) {
  reply_values(c, values, each, [](json_writer&) {});
}

// What lists of the admin API are asked with.

inline constexpr std::int32_t page_default = 50;
inline constexpr std::int32_t page_max = 200;

/// `limit`: entries on a page.
inline std::int32_t read_limit(parameters& given) { return given.integer_or("limit", page_default, {1, page_max}); }

/// `query`: what is searched for, without blanks around it; empty for everything.
inline std::string read_query(parameters& given) {
  auto text = given.text("query").value_or("");
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  if (const auto length = characters(text); length > limits::search_text_max)
    given.issue("query must have at most " + std::to_string(limits::search_text_max) + " characters, not "
                + std::to_string(length));
  return std::string{text};
}

inline constexpr std::int64_t moment_max_ms = 253'402'300'799'999; // the end of the year 9999

/// A moment in Unix milliseconds.
inline std::optional<timestamp> moment_in(parameters& given, std::string_view name) {
  const auto found = given.integer(name, {0, moment_max_ms});
  return found ? std::optional{timestamp{std::chrono::milliseconds{*found}}} : std::nullopt;
}
/// Of a time that has both ends, that it has a length.
inline void require_order(parameters& given, const std::optional<timestamp>& from, const std::optional<timestamp>& to) {
  if (from && to && *from >= *to)
    given.issue("from must be before to, not " + std::to_string(ms_of(*from)) + " and " + std::to_string(ms_of(*to)));
}

/// Reads the member `confirm`, where whoever orders an act types the id of its profile once more; what is wrong goes to
/// the body's mistakes.
inline void read_confirmation(json_body& body, profile_id who) {
  const auto typed = std::to_string(who.value);
  if (const auto confirm = body.text("confirm"); body.good() && confirm != std::string_view{typed})
    body.issue("confirm must be the id of the profile, " + typed
               + (confirm ? ", not " + shown(*confirm) : std::string{}));
}

} // namespace credence::http::admin
