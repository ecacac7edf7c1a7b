#pragma once

#include "actors/domain/hex.hpp"
#include "actors/kernel/fact.hpp"

#include <span>

/// Changes as JSON: `{"change":"vote_cast","project_id":7,…}`. Money is a decimal string, bytes are hex, times are
/// ISO 8601; what is not there is null. Two changes are the same when their JSON is.
namespace credence {

namespace detail {

void append_json_text(std::string& to, std::string_view text);
void append_json_hex(std::string& to, std::span<const std::byte> bytes);

template <class T>
void append_json(std::string& to, const T& value);

template <class T>
void append_fields(std::string& to, const T& of) {
  bool first = to.back() == '{';
  for_each_field(of, [&](std::string_view name, const auto& value) {
    if (!std::exchange(first, false))
      to += ',';
    append_json_text(to, name);
    to += ':';
    append_json(to, value);
  });
}

template <class T>
void append_json(std::string& to, const T& value) {
  if constexpr (is_optional<T>::value) {
    if (value)
      append_json(to, *value);
    else
      to += "null";
  } else if constexpr (is_vector<T>::value) {
    to += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      to += i > 0 ? "," : "";
      append_json(to, value[i]);
    }
    to += ']';
  } else if constexpr (has_parts<T>) {
    to += '{';
    append_fields(to, value);
    to += '}';
  } else if constexpr (std::same_as<T, bool>)
    to += value ? "true" : "false";
  else if constexpr (std::integral<T>)
    to += std::to_string(value);
  else if constexpr (is_id<T>::value)
    to += std::to_string(value.value);
  else if constexpr (std::same_as<T, timestamp>)
    append_json_text(to, iso_text(value));
  else if constexpr (std::same_as<T, std::chrono::sys_days>)
    append_json_text(to, iso_text(timestamp{value}).substr(0, 10));
  else if constexpr (std::same_as<T, wei>)
    append_json_text(to, decimal(value));
  else if constexpr (std::same_as<T, address>)
    append_json_text(to, lower_text(value));
  else if constexpr (std::convertible_to<const T&, std::string_view>)
    append_json_text(to, std::string_view{value});
  else
    append_json_hex(to, value);
}

} // namespace detail

/// One change; one line.
template <described F>
std::string json_of(const F& change) {
  std::string out = "{\"change\":";
  detail::append_json_text(out, fact<F>::name);
  detail::append_fields(out, change);
  return out += '}';
}
template <described... F>
std::string json_of(const one_of<F...>& change) {
  return visit([](const auto& each) { return json_of(each); }, change);
}

} // namespace credence
