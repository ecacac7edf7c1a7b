#include "http/server/route_table.hpp"

#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace credence::http {

namespace {

using std::chrono::sys_days;

constexpr std::array<std::string_view, 5> method_names{"GET", "POST", "PUT", "PATCH", "DELETE"};

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

namespace {

void split(std::string_view path, std::vector<std::string_view>& out) {
  out.clear();
  path.remove_prefix(1); // the leading slash
  for (;;) {
    const auto end = path.find('/');
    out.push_back(path.substr(0, end));
    if (end == std::string_view::npos)
      return;
    path.remove_prefix(end + 1);
  }
}

bool is_name(std::string_view segment) { return segment.starts_with('{'); }

/// Reads that clients send all the time, and those by POST whose resource is created by POST: each is measured by
/// itself.
constexpr std::array<std::string_view, 16> hot_reads{"/api/v2/projects/votes/balance",
                                                     "/api/v2/projects/{projectId}/voters",
                                                     "/api/v2/projects/{projectId}/chart",
                                                     "/api/v2/projects/votes/bulk-totals",
                                                     "/api/v2/internal/listings",
                                                     "/api/v2/internal/listings/{username}",
                                                     "/api/v2/score/address",
                                                     "/api/v2/score/userkey",
                                                     "/api/v2/score/addresses",
                                                     "/api/v2/score/userkeys",
                                                     "/api/v2/user/by/x/{accountIdOrUsername}",
                                                     "/api/v2/users/by/x",
                                                     "/api/v2/markets/{profileId}/quote",
                                                     "/api/v2/markets/simulate-buy",
                                                     "/api/v2/markets/simulate-sell",
                                                     "/api/v2/markets/news"};

/// `/api/v2/users` of `/api/v2/users/by/x`: the resource that a path is of.
std::string_view resource_of(std::string_view path) {
  auto end = path.find('/', 1);
  for (int slash = 2; slash <= 3 && end != std::string_view::npos; ++slash)
    end = path.find('/', end + 1);
  return path.substr(0, end);
}

route_table::entry entry_for(const route& route, std::span<const std::string> deprecated) {
  const auto verb = name_of(route.verb);
  route_table::entry out{
    &route, &ops::the_metrics().add_route(verb, measured_as(route)), bucket_of(route), {}, nullptr};
  if (const auto goes = deprecation_of(route, deprecated)) {
    out.deprecation_head = goes->head();
    const auto name = std::string{verb}.append(" ").append(route.path);
    const bool announced =
      std::any_of(deprecated.begin(), deprecated.end(), [&](const auto& line) { return line.starts_with(name + " "); });
    out.deprecated =
      &ops::add_deprecated_route(announced ? name : std::string{verb}.append(" ").append(measured_as(route)));
  }
  return out;
}

} // namespace

std::string_view measured_as(const route& route) {
  const auto resource = resource_of(route.path);
  if (resource == "/admin/api/v1") // an operator's
    return resource;
  if (resource == "/api/v2/wallets") // few, and as slow as the chain: together they tell enough
    return resource;
  if (route.path.starts_with("/docs/")) // with the page that loads it
    return "/docs";
  const bool by_itself =
    !only_reads(route) || std::find(hot_reads.begin(), hot_reads.end(), route.path) != hot_reads.end();
  return by_itself ? route.path : resource;
}

route_table::route_table(std::span<const route> routes, std::span<const std::string> deprecated) {
  for (const auto& mistake : deprecation_mistakes(deprecated, routes))
    throw std::invalid_argument(mistake);
  entries_.reserve(routes.size());
  for (const auto& each : routes)
    add(entries_.emplace_back(entry_for(each, deprecated)));
}

void route_table::add(const entry& of) {
  std::vector<std::string_view> path;
  std::vector<std::string_view> names;
  split(of.route->path, path);
  auto* at = &root_;
  for (const auto segment : path) {
    if (is_name(segment))
      names.push_back(segment.substr(1, segment.size() - 2));
    auto& next = is_name(segment) ? at->named : at->literals[segment];
    if (!next)
      next = std::make_unique<node>();
    at = next.get();
  }
  if (std::exchange(at->ends, true) && at->names != names)
    throw std::invalid_argument(
      std::string{of.route->path}.append(" names its parts otherwise than another route of the same form"));
  at->names = std::move(names);
  if (std::exchange(at->by_method[static_cast<std::size_t>(of.route->verb)], &of))
    throw std::invalid_argument(
      std::string{name_of(of.route->verb)}.append(" ").append(of.route->path).append(" is routed twice"));
}

const route_table::node* route_table::follow(const node& from, segments rest, std::vector<std::string_view>& values) {
  if (rest.empty())
    return from.ends ? &from : nullptr;
  if (const auto literal = from.literals.find(rest.front()); literal != from.literals.end())
    if (const auto* end = follow(*literal->second, rest.subspan(1), values))
      return end;
  if (!from.named || rest.front().empty())
    return nullptr;
  values.push_back(rest.front());
  const auto* end = follow(*from.named, rest.subspan(1), values);
  if (!end)
    values.pop_back();
  return end;
}

void route_table::find(std::string_view path, match& out) const {
  thread_local std::vector<std::string_view> parts;
  thread_local std::vector<std::string_view> values;
  split(path, parts);
  values.clear();
  out.parts.clear();
  const auto* end = follow(root_, parts, values);
  out.found = end != nullptr;
  if (!end)
    return;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.parts.emplace_back(end->names[i], values[i]);
  std::copy(std::begin(end->by_method), std::end(end->by_method), std::begin(out.by_method));
}

std::string route_table::match::link_to_successor(const http::route& of) const {
  std::string path{of.successor.substr(of.successor.find(' ') + 1)};
  for (const auto& [name, value] : parts)
    if (const auto at = path.find("{" + std::string{name} + "}"); at != std::string::npos)
      path.replace(at, name.size() + 2, value);
  return "Link: <" + path + ">; rel=\"successor-version\"";
}

std::string route_table::match::allow() const {
  std::string out;
  for (std::size_t i = 0; i < std::size(by_method); ++i)
    if (by_method[i]) {
      out += out.empty() ? "" : ", ";
      out += name_of(static_cast<method>(i));
      if (i == static_cast<std::size_t>(method::get))
        out += ", HEAD";
    }
  return out + (out.empty() ? "OPTIONS" : ", OPTIONS");
}

} // namespace credence::http
