#include "http/server/route_table.hpp"

#include "http/server/deprecations.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace credence::http {

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
constexpr std::array<std::string_view, 15> hot_reads{"/api/v2/projects/votes/balance",
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
                                                     "/api/v2/markets/simulate-sell"};

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
