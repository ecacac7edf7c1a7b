#pragma once

#include "actors/domain/ids.hpp"
#include "config/limits.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// What bodies of requests about records have in common. Every reader adds what is wrong to the body's mistakes, or the
/// parameters'; what it returns counts only when there are none.
namespace credence::http {

/// A text of `least` to `most` characters; absent counts as empty.
inline std::string read_words(json_body& body, std::string_view name, std::size_t least, std::size_t most) {
  const auto text = body.text(name).value_or("");
  if (const auto length = characters(text); length < least || length > most)
    body.issue(std::string{name} + " must have " + (least ? std::to_string(least) + " to " : "at most ")
               + std::to_string(most) + " characters, not " + std::to_string(length));
  return std::string{text};
}
/// The same of a text that may be left out.
inline std::optional<std::string> read_words_if_any(json_body& body, std::string_view name, std::size_t least,
                                                    std::size_t most) {
  const auto kind = body.kind_of(name);
  if (kind == json_body::kind::absent || kind == json_body::kind::null)
    return std::nullopt;
  return read_words(body, name, least, most);
}

/// One of `names`, by its place among them; 0 when it is absent or wrong.
template <std::size_t Size>
std::size_t read_one_of(json_body& body, std::string_view name, const std::array<std::string_view, Size>& names) {
  const auto text = body.text(name);
  for (std::size_t i = 0; text && i < Size; ++i)
    if (*text == names[i])
      return i;
  std::string all;
  for (std::size_t i = 0; i < Size; ++i)
    all.append(i == 0 ? "'" : i + 1 < Size ? ", '" : " or '").append(names[i]).append("'");
  body.issue(std::string{name} + " must be " + all + (text ? ", not " + shown(*text) : ""));
  return 0;
}

/// The profile that the request is about, which is required.
inline profile_id read_profile(json_body& body, std::string_view name) {
  const auto kind = body.kind_of(name);
  if (kind == json_body::kind::absent || kind == json_body::kind::null) {
    body.issue(std::string{name} + " is required: the id of a profile");
    return {};
  }
  const auto number = body.integer(name).value_or(1); // of another type: that is said already
  if (number >= 1 && number <= limits::id_max)
    return profile_id{static_cast<std::int32_t>(number)};
  body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max) + ", not "
             + std::to_string(number));
  return {};
}

/// Whether the request is only to be tried.
inline bool read_dry_run(parameters& given) {
  constexpr std::array<std::string_view, 2> words{"false", "true"};
  return given.choice("dryRun", words) == 1u;
}

/// The order that was read, or every mistake: those of the parameters, then of the body.
template <class Order>
outcome<Order> checked(parameters& given, json_body& body, Order order) {
  if (!body.good())
    given.issues_of(body.why());
  if (!given.good())
    return given.why();
  return order;
}

} // namespace credence::http
