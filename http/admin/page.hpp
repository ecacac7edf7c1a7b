#pragma once

#include "config/limits.hpp"
#include "http/call/call.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <cstdint>
#include <string>

/// What lists of the admin API are asked with. Every list refuses what it does not know (`parameters::refuse_others`),
/// as one that ignored a filter would show everything.
namespace credence::http::admin {

inline constexpr std::int32_t page_default = 50;
inline constexpr std::int32_t page_max = 200;

/// `limit`: entries on a page.
inline std::int32_t read_limit(parameters& given) { return given.integer_or("limit", page_default, {1, page_max}); }

/// Whether the list is asked with nothing, as it knows no parameter; else it is refused.
inline bool asked_with_nothing(call& c) {
  parameters given{c.query()};
  given.refuse_others();
  if (!given.good())
    c.refuse(given.why());
  return given.good();
}

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

} // namespace credence::http::admin
