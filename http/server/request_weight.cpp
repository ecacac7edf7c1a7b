#include "http/server/request_weight.hpp"

#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <algorithm>

namespace credence::http {

namespace {

std::int64_t portions(std::int64_t of, std::int64_t each) { return (of + each - 1) / each; }

/// Values between the commas of a JSON text, those within its strings left out.
std::int64_t items_in(std::string_view json) {
  if (json.empty())
    return 0;
  std::int64_t out = 1;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"')
      in_text = !in_text;
    else if (in_text && json[i] == '\\')
      ++i;
    else if (!in_text && json[i] == ',')
      ++out;
  }
  return out;
}

/// The `limit` of a body, as its handler reads it; 0 where it has none, and where the body is refused anyway.
std::int64_t limit_in(std::string_view body) {
  if (body.empty())
    return 0;
  auto read = json_body::parse(body);
  return read ? read->integer("limit").value_or(0) : 0;
}

bool names_ids(std::string_view parameter) {
  return parameter == "profileIds" || parameter == "profileIds[]" || parameter == "profileId"
         || parameter == "profileId[]";
}

} // namespace

std::int64_t weight_of(const query_map& query, std::string_view body) {
  std::int64_t rows = std::clamp<std::int64_t>(limit_in(body), 0, limits::price_points_max);
  std::int64_t keys = items_in(body);
  for (const auto& [name, value] : query) {
    if (name == "limit")
      rows = std::max(rows, std::clamp<std::int64_t>(parse_integer(value).value_or(0), 0, limits::price_points_max));
    else if (names_ids(name))
      keys += 1 + std::count(value.begin(), value.end(), ',');
  }
  return std::max({std::int64_t{1}, portions(rows, rows_per_request), portions(keys, keys_per_request)});
}

} // namespace credence::http
