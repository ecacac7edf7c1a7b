#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "config/limits.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

// What bodies of requests about records have in common. Every reader adds what is wrong to the body's mistakes, or the
// parameters'; what it returns counts only when there are none.

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
  if (!body.has(name))
    return std::nullopt;
  return read_words(body, name, least, most);
}

/// An empty text of a request that makes something says the same as none.
inline std::optional<std::string> unless_empty(std::optional<std::string> text) {
  return text && !text->empty() ? std::move(text) : std::nullopt;
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
  if (!body.has(name)) {
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
inline bool read_dry_run(parameters& given) { return given.flag("dryRun").value_or(false); }

// What questions for lists of records have in common, in a query or a body. Every reader adds what is wrong to the
// mistakes of what it reads from; what it returns counts only when there are none.

/// `limit` 0 to `most` (default 50, or `most` where that is less) and `offset` 0 to `limits::list_depth_max` of a
/// query.
inline page read_list_page(parameters& from, std::int32_t most) {
  page out;
  out.limit = from.integer_or("limit", std::min(limits::limit_default, most), {0, most});
  out.offset = from.integer_or("offset", 0, {0, limits::list_depth_max});
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

/// The same `limit` and `offset` of the body of a question. Read last: refuses what was not read before.
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
  if (!body.has(name))
    return std::nullopt;
  return read_one_of(body, name, names);
}

/// `orderBy: {field, direction}` of a body, or `orderBy: {<field>: direction}`: the field by its place among `fields`,
/// the first where it is left out.
struct list_order {
  std::size_t field = 0;
  std::optional<bool> ascending; // nothing where no direction is given
};
inline constexpr std::array<std::string_view, 2> direction_names{"desc", "asc"};
template <std::size_t Size>
list_order read_order(json_body& body, const std::array<std::string_view, Size>& fields) {
  body.object("orderBy");
  list_order out;
  const auto named = read_one_of_if_any(body, "orderBy.field", fields);
  out.field = named.value_or(0);
  const auto direction = read_one_of_if_any(body, "orderBy.direction", direction_names);
  if (direction)
    out.ascending = *direction == 1u;
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

// Names, texts and addresses of pictures and pages in bodies, wherever others see them. Mistakes go to the body's; a
// member that is absent is nothing.

/// A name of 1 to `limits::display_name_length_max` characters that are seen.
std::optional<std::string> read_display_name(json_body& body, std::string_view member);

/// The member `username`: 1 to `limits::handle_length_max` letters, digits and underscores of ASCII that look like no
/// number and no address.
std::optional<std::string> read_username(json_body& body);

/// An https:// URL of at most `limits::url_length_max` characters of ASCII; empty where `least` is 0.
std::optional<std::string> read_https_url(json_body& body, std::string_view member, std::size_t least);

/// A text of `least` to `most` characters without control characters but line feeds.
std::optional<std::string> read_plain_text(json_body& body, std::string_view member, std::size_t least,
                                           std::size_t most);

} // namespace credence::http
