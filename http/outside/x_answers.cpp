#include "http/outside/x_posts.hpp"

#include "config/limits.hpp"
#include "http/call/parameters.hpp"

#include <simdjson.h>

#include <algorithm>

namespace credence::http {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t text_bytes_max = 8 * 1024; // some 280 characters, by the source's own rules
constexpr std::size_t id_digits_max = 20;
constexpr timestamp no_earlier = std::chrono::sys_days{std::chrono::year{2006} / 1 / 1}; // there was no such service
constexpr timestamp no_later = std::chrono::sys_days{std::chrono::year{9999} / 1 / 1};

/// The object that a body is; it lives until the next one on this thread.
std::optional<dom::object> read(std::string_view body) {
  thread_local dom::parser parser;
  if (parser.max_depth() != static_cast<std::size_t>(limits::json_depth_max)
      && parser.allocate(64 * 1024, static_cast<std::size_t>(limits::json_depth_max)))
    return std::nullopt;
  dom::element root;
  dom::object out;
  if (parser.parse(body.data(), body.size()).get(root) || root.get(out))
    return std::nullopt;
  return out;
}

/// Without `data` the answer tells of errors, or of an empty result; anything else is odd.
bool says_nothing(const dom::object& answer) {
  dom::element unused;
  if (!answer["data"].get(unused))
    return false;
  dom::array errors;
  if (!answer["errors"].get(errors) && errors.size() > 0)
    return true;
  std::int64_t count = 0;
  return !answer["meta"]["result_count"].get(count) && count == 0;
}

std::optional<std::string> read_id(const dom::object& from) {
  std::string_view text;
  if (from["id"].get(text) || text.empty() || text.size() > id_digits_max
      || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::string{text};
}

/// A count; 0 when it is absent, nothing when it is none.
std::optional<std::int64_t> read_count(const dom::object& from, std::string_view name) {
  dom::element value;
  if (from[name].get(value) || value.is_null())
    return 0;
  std::int64_t count = 0;
  if (value.get(count) || count < 0 || count > limits::safe_integer_max)
    return std::nullopt;
  return count;
}

bool read_counts(const dom::object& from, news::post& to) {
  dom::element metrics;
  if (from["public_metrics"].get(metrics) || metrics.is_null())
    return true;
  dom::object counts;
  if (metrics.get(counts))
    return false;
  for (const auto& [name, count] :
       {std::pair{"retweet_count", &to.retweets}, std::pair{"like_count", &to.likes},
        std::pair{"reply_count", &to.replies}, std::pair{"impression_count", &to.impressions}}) {
    const auto found = read_count(counts, name);
    if (!found)
      return false;
    *count = *found;
  }
  return true;
}

} // namespace

std::variant<std::string, x_nothing, x_flaw> read_x_account(std::string_view body) {
  const auto answer = read(body);
  if (!answer)
    return x_flaw{"the account is not a JSON object"};
  if (says_nothing(*answer))
    return x_nothing{};
  dom::object found;
  if ((*answer)["data"].get(found))
    return x_flaw{"the answer has no account and does not say why"};
  auto id = read_id(found);
  if (!id)
    return x_flaw{"the account's id is not of digits"};
  return *std::move(id);
}

std::variant<news::post, x_nothing, x_flaw> read_x_timeline(std::string_view body, std::string_view name) {
  const auto answer = read(body);
  if (!answer)
    return x_flaw{"the timeline is not a JSON object"};
  if (says_nothing(*answer))
    return x_nothing{};
  dom::array posts;
  if ((*answer)["data"].get(posts))
    return x_flaw{"the answer has no list of posts and does not say why"};
  if (posts.size() == 0)
    return x_nothing{};
  dom::object first;
  if (posts.at(0).get(first))
    return x_flaw{"a post is not an object"};
  auto id = read_id(first);
  if (!id)
    return x_flaw{"a post's id is not of digits"};
  std::string_view text;
  if (first["text"].get(text) || text.size() > text_bytes_max)
    return x_flaw{"a post has no text, or more than " + std::to_string(text_bytes_max) + " bytes of it"};
  std::string_view moment;
  const auto when = first["created_at"].get(moment) || moment.find('T') == std::string_view::npos
                      ? std::nullopt
                      : parse_moment(moment, day_edge::start);
  if (!when || *when < no_earlier || *when >= no_later)
    return x_flaw{"a post's created_at is not an ISO 8601 time"};
  news::post out;
  out.url = "https://x.com/" + std::string{name.empty() ? "i" : name} + "/status/" + *id;
  out.id = *std::move(id);
  out.text = text;
  out.created_at = *when;
  if (!read_counts(first, out))
    return x_flaw{"a post's public_metrics are not counts"};
  return out;
}

} // namespace credence::http
