#include "http/api/people/questions.hpp"

#include "http/call/json_body.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace credence::http::v2 {

namespace {

/// A list of hundreds may be wrong in every item; so many are told.
constexpr int mistakes_told_max = 10;

/// Twice in the order of `people::key_type`: as userkeys call them, and as public clients do.
constexpr std::size_t key_types_count = 7;
constexpr std::array<std::string_view, 2 * key_types_count> key_types{
  "address", "profileId", "discord", "farcaster", "github", "telegram", "x.com",
  "ADDRESS", "PROFILE",   "DISCORD", "FARCASTER", "GITHUB", "TELEGRAM", "TWITTER"};

std::string missing_list(std::string_view name, const char* of) {
  return std::string{name} + " is required: a list of at most " + std::to_string(limits::bulk_keys_max) + " " + of;
}

/// The list that `take` takes from the body; nothing when there is none or it is wrong.
template <class Take>
auto list_in(parameters& from, std::string_view body, const std::string& when_missing, Take take)
  -> decltype(take(std::declval<json_body&>())) {
  auto read = json_body::parse_question(body);
  if (!read) {
    from.issues_of(read.why());
    return std::nullopt;
  }
  auto list = take(*read);
  if (!list && read->good())
    read->issue(when_missing);
  read->refuse_others();
  if (!read->good())
    from.issues_of(read->why());
  return list;
}

/// What somebody pastes often has some.
std::string_view without_blanks_around(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// What is wrong with `name`, which is said once: "a userkey must be …" is about the userkey already.
std::string about(std::string_view name, const refusal& why) {
  const std::string_view detail = why.detail;
  for (const std::string_view article : {"a ", "an "})
    if (detail.starts_with(article) && detail.substr(article.size()).starts_with(std::string{name} + " must "))
      return std::string{detail.substr(article.size())};
  return std::string{name} + ": " + why.detail;
}

} // namespace

people::lookup_key read_key(parameters& from, std::string_view name, key_parser parse) {
  const auto text = from.required(name, "", [&] { return from.text(name); });
  if (!text)
    return {};
  auto key = parse(*text);
  if (key)
    return *std::move(key);
  from.issue(about(name, key.why()));
  return {};
}

named_keys read_keys(parameters& from, std::string_view body, std::string_view name, key_parser parse,
                     std::string_view other_name) {
  named_keys out;
  const auto texts = list_in(from, body, missing_list(name, "strings"), [&](json_body& read) {
    auto out = read.texts(name, limits::bulk_keys_max);
    if (other_name.empty())
      return out;
    auto other = read.texts(other_name, limits::bulk_keys_max);
    if (out && other && out != other)
      read.issue(std::string{name} + " and " + std::string{other_name}
                 + " are two names of one member: give one of them");
    return out ? out : other;
  });
  if (!texts)
    return out;
  int mistakes = 0;
  for (const auto text : *texts) {
    auto key = parse(text);
    if (!key) {
      from.issue(about("each item of " + std::string{name}, key.why()));
      if (++mistakes == mistakes_told_max)
        break;
      continue;
    }
    out.texts.emplace_back(text);
    out.keys.push_back(*std::move(key));
  }
  return out;
}

std::vector<people::lookup_key> read_ids(parameters& from, std::string_view body, std::string_view name,
                                         people::lookup_key::form how) {
  std::vector<people::lookup_key> out;
  const auto ids = list_in(from, body, missing_list(name, "integers"),
                           [&](json_body& read) { return read.integers(name, limits::bulk_keys_max); });
  if (!ids)
    return out;
  for (const auto id : *ids) {
    if (id < 1 || id > limits::id_max) {
      from.issue("each item of " + std::string{name} + " must be an integer from 1 to " + std::to_string(limits::id_max)
                 + ", not " + std::to_string(id));
      return {};
    }
    out.push_back({.how = how, .number = static_cast<std::int32_t>(id)});
  }
  return out;
}

people::search_people read_search(parameters& from) {
  people::search_people out;
  const auto text = from.required("query", "", [&] { return from.text("query"); });
  out.text = without_blanks_around(text.value_or(""));
  const auto length = characters(out.text);
  if (text && (length < limits::search_query_length_min || length > limits::search_query_length_max))
    from.issue("query must have " + std::to_string(limits::search_query_length_min) + " to "
               + std::to_string(limits::search_query_length_max) + " characters, not " + std::to_string(length));
  if (const auto at = from.choice("userKeyType", key_types))
    out.having = static_cast<people::key_type>(*at % key_types_count);
  out.slice.limit = from.integer_or("limit", limits::search_limit_max, {0, limits::search_limit_max});
  out.slice.offset = from.integer_or("offset", 0, {0, limits::offset_max});
  return out;
}

} // namespace credence::http::v2
