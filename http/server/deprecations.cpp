#include "http/server/deprecations.hpp"

#include "config/load.hpp"
#include "http/call/errors.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace credence::http {

namespace {

using std::chrono::sys_days;

constexpr std::array<std::string_view, 5> method_names{"GET", "POST", "PUT", "PATCH", "DELETE"};

/// The day on which the first endpoints of v1 were removed: the rest had been superseded
/// by then (spec, Versioning 1 and 2).
constexpr sys_days v1_deprecated = std::chrono::year{2025} / 8 / 8;

/// Takes the first word off.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::optional<sys_days> day_of(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0;
  int read = 0;
  const std::string copy{text};
  if (text.size() != 10 || std::sscanf(copy.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &read) != 3 || read != 10)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  return date.ok() ? std::optional{sys_days{date}} : std::nullopt;
}

bool is_link(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://"))
         && std::all_of(text.begin(), text.end(),
                        [](char c) { return c > ' ' && c < 0x7F && c != '<' && c != '>' && c != '"'; });
}

std::time_t seconds_of(sys_days day) { return std::chrono::sys_seconds{day}.time_since_epoch().count(); }

std::string http_date(sys_days day) {
  const auto at = seconds_of(day);
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::string label_of(const route& route) { return std::string{name_of(route.verb)}.append(" ").append(route.path); }

/// `METHOD path` of a line, and what follows.
std::pair<std::string, std::string_view> taken_apart(std::string_view line) {
  const auto verb = next_word(line);
  const auto path = next_word(line);
  return {std::string{verb}.append(" ").append(path), line};
}

} // namespace

std::string_view name_of(method verb) noexcept { return method_names[static_cast<std::size_t>(verb)]; }

std::string deprecation::head() const {
  auto out = "Deprecation: @" + std::to_string(seconds_of(since)) + "\r\n";
  if (sunset)
    out += "Sunset: " + http_date(*sunset) + "\r\n";
  if (!link.empty())
    out += "Link: <" + link + ">; rel=\"deprecation\"\r\n";
  return out;
}

std::optional<deprecation> parse_deprecation(std::string_view text, std::string& why) {
  deprecation out;
  const auto since = day_of(next_word(text));
  if (!since) {
    why = "a day such as 2026-10-01 must say since when it is deprecated";
    return std::nullopt;
  }
  out.since = *since;
  auto word = next_word(text);
  if ((out.sunset = day_of(word)))
    word = next_word(text);
  if (out.sunset && *out.sunset < out.since) {
    why = "its sunset comes before it is deprecated";
    return std::nullopt;
  }
  if ((!word.empty() && !is_link(word)) || !next_word(text).empty()) {
    why = "after the first day may come another one, for the sunset, and a link such as https://example.org/news";
    return std::nullopt;
  }
  out.link = word;
  return out;
}

std::optional<deprecation> deprecation_of(const route& route, std::span<const std::string> listed) {
  std::string why;
  for (const auto& line : listed)
    if (const auto [name, rest] = taken_apart(line); name == label_of(route))
      return parse_deprecation(rest, why);
  if (!route.deprecated.empty())
    return parse_deprecation(route.deprecated, why);
  if (shape_for(route.path) == error_shape::v1)
    return deprecation{v1_deprecated, std::nullopt, {}};
  return std::nullopt;
}

std::vector<std::string> deprecation_mistakes(std::span<const std::string> listed, std::span<const route> routes) {
  std::vector<std::string> known;
  for (const auto& each : routes)
    known.push_back(label_of(each));
  std::vector<std::string> out;
  for (const auto& line : listed) {
    const auto [name, rest] = taken_apart(line);
    std::string why;
    if (std::find(known.begin(), known.end(), name) == known.end())
      out.push_back("'" + line + "' names no endpoint; did you mean " + settings::nearest(name, known) + "?");
    else if (!parse_deprecation(rest, why))
      out.push_back("'" + line + "' is not understood: " + why);
  }
  return out;
}

} // namespace credence::http
