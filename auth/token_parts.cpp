#include "auth/token_parts.hpp"

#include "auth/access_token.hpp"
#include "auth/digest.hpp"

#include <algorithm>
#include <vector>

namespace credence::auth {

namespace dom = simdjson::dom;

namespace {

/// Beyond the year 9999; keeps arithmetic on times far from overflow.
constexpr std::int64_t latest_time = 253402300799;

} // namespace

std::optional<token_parts> split_token(std::string_view token) {
  if (token.size() > token_length_max)
    return std::nullopt;
  const auto first = token.find('.');
  const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos)
    return std::nullopt;
  return token_parts{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1),
                     token.substr(0, second)};
}

bool no_member_twice(const dom::object& object) {
  std::vector<std::string_view> names;
  for (const auto member : object)
    names.push_back(member.key);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::optional<dom::object> object_in(dom::parser& parser, std::string_view part, std::string& json) {
  dom::element root;
  dom::object object;
  if (!decode_base64url(part, json) || parser.parse(json).get(root) || root.get(object) || !no_member_twice(object))
    return std::nullopt;
  return object;
}

bool text_is(const dom::object& object, std::string_view name, std::string_view wanted) {
  std::string_view value;
  return !object[name].get(value) && value == wanted;
}

bool has_member(const dom::object& object, std::string_view name) { return object[name].error() == simdjson::SUCCESS; }

std::optional<std::int64_t> time_in(const dom::object& object, std::string_view name) {
  dom::element value;
  std::int64_t seconds = 0;
  if (object[name].get(value) || value.type() != dom::element_type::INT64 || value.get(seconds) || seconds < 0
      || seconds > latest_time)
    return std::nullopt;
  return seconds;
}

} // namespace credence::auth
