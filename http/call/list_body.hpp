#pragma once

#include "actors/domain/page.hpp"
#include "config/list_limits.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What questions for lists of records have in common, in a query or a body. Every reader adds what is wrong to the
/// mistakes of what it reads from; what it returns counts only when there are none.
namespace credence::http {

/// `limit` 0 to `most` (default 50, or `most` where that is less) and `offset` 0 to `limits::list_depth_max` of a
/// query. Read last: refuses what was not read before.
inline page read_list_page(parameters& from, std::int32_t most) {
  page out;
  out.limit = from.integer_or("limit", std::min(limits::limit_default, most), {0, most});
  out.offset = from.integer_or("offset", 0, {0, limits::list_depth_max});
  from.refuse_others();
  return out;
}

/// An integer of a body within bounds; nothing where it is left out.
inline std::optional<std::int32_t> read_integer_if_any(json_body& body, std::string_view name, std::int32_t least,
                                                       std::int32_t most) {
  const auto number = body.integer(name);
  if (!number)
    return std::nullopt;
  if (*number < least || *number > most) {
    body.issue(std::string{name} + " must be an integer from " + std::to_string(least) + " to " + std::to_string(most)
               + ", not " + std::to_string(*number));
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

/// The same `limit` and `offset` of the body of a question. Read last, too.
inline page read_list_page(json_body& body, std::int32_t most) {
  page out;
  out.limit = read_integer_if_any(body, "limit", 0, most).value_or(std::min(limits::limit_default, most));
  out.offset = read_integer_if_any(body, "offset", 0, limits::list_depth_max).value_or(0);
  body.refuse_others();
  return out;
}

/// One of `names` by its place, where it is not left out.
template <std::size_t Size>
std::optional<std::size_t> read_one_of_if_any(json_body& body, std::string_view name,
                                              const std::array<std::string_view, Size>& names) {
  body.note(name);
  const auto kind = body.kind_of(name);
  if (kind == json_body::kind::absent || kind == json_body::kind::null)
    return std::nullopt;
  return read_one_of(body, name, names);
}

/// `orderBy: {field, direction}` of a body, or `orderBy: {<field>: direction}`: the field by its place among `fields`,
/// the first where it is left out.
struct list_order {
  std::size_t field = 0;
  bool ascending = false;
};
inline constexpr std::array<std::string_view, 2> direction_names{"desc", "asc"};
template <std::size_t Size>
list_order read_order(json_body& body, const std::array<std::string_view, Size>& fields) {
  const auto kind = body.kind_of("orderBy");
  if (kind != json_body::kind::absent && kind != json_body::kind::null && kind != json_body::kind::other)
    body.issue("orderBy must be an object with field and direction");
  list_order out;
  const auto named = read_one_of_if_any(body, "orderBy.field", fields);
  out.field = named.value_or(0);
  const auto direction = read_one_of_if_any(body, "orderBy.direction", direction_names);
  out.ascending = direction == 1u;
  int given = named || direction ? 1 : 0;
  for (std::size_t i = 0; i < Size; ++i)
    if (const auto way = read_one_of_if_any(body, "orderBy." + std::string{fields[i]}, direction_names)) {
      out = {i, *way == 1u};
      ++given;
    }
  if (given > 1)
    body.issue("orderBy must name one field");
  return out;
}

/// Ids in the list `name` of a body, where it is not left out: 1 to `limits::id_max` each.
template <class Id>
std::optional<std::vector<Id>> read_ids_if_any(json_body& body, std::string_view name, std::size_t most) {
  const auto numbers = body.integers(name, most);
  if (!numbers)
    return std::nullopt;
  std::vector<Id> out;
  for (const auto number : *numbers) {
    if (number < 1 || number > limits::id_max)
      body.issue("each item of " + std::string{name} + " must be an integer from 1 to " + std::to_string(limits::id_max)
                 + ", not " + std::to_string(number));
    else
      out.push_back(Id{static_cast<std::int32_t>(number)});
  }
  return out;
}

} // namespace credence::http
