#include "http/server/route_table.hpp"

#include "http/server/deprecations.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

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

/// Reads that clients send all the time, and those by POST whose resource is created by POST: each is measured by itself.
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
  route_table::entry out{&route, &ops::the_metrics().add_route(verb, measured_as(route)), bucket_of(route), {}, nullptr};
  if (const auto goes = deprecation_of(route, deprecated)) {
    out.deprecation_head = goes->head();
    const auto name = std::string{verb}.append(" ").append(route.path);
    const bool announced = std::any_of(deprecated.begin(), deprecated.end(), [&](const auto& line) { return line.starts_with(name + " "); });
    out.deprecated = &ops::add_deprecated_route(announced ? name : std::string{verb}.append(" ").append(measured_as(route)));
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
  const bool by_itself = !only_reads(route) || std::find(hot_reads.begin(), hot_reads.end(), route.path) != hot_reads.end();
  return by_itself ? route.path : resource;
}

route_table::route_table(std::span<const route> routes, std::span<const std::string> deprecated) {
  for (const auto& mistake : deprecation_mistakes(deprecated, routes))
    throw std::invalid_argument(mistake);
  entries_.reserve(routes.size());
  std::vector<std::string_view> segments;
  for (const auto& each : routes) {
    entries_.push_back(entry_for(each, deprecated));
    split(each.path, segments);
    auto same = std::find_if(patterns_.begin(), patterns_.end(), [&](const pattern& p) { return p.segments == segments; });
    if (same == patterns_.end()) {
      const auto literals = std::count_if(segments.begin(), segments.end(), [](std::string_view s) { return !is_name(s); });
      same = patterns_.insert(patterns_.end(), pattern{segments, {}, static_cast<std::size_t>(literals)});
    }
    same->by_method[static_cast<std::size_t>(each.verb)] = &entries_.back();
  }
  std::stable_sort(patterns_.begin(), patterns_.end(), [](const pattern& a, const pattern& b) { return a.literals > b.literals; });
}

void route_table::find(std::string_view path, match& out) const {
  thread_local std::vector<std::string_view> segments;
  split(path, segments);
  out.found = false;
  out.parts.clear();
  for (const auto& each : patterns_) {
    if (each.segments.size() != segments.size())
      continue;
    bool fits = true;
    for (auto i = segments.size(); fits && i-- > 0;) // paths differ at their ends, all begin alike
      fits = is_name(each.segments[i]) ? !segments[i].empty() : each.segments[i] == segments[i];
    if (!fits)
      continue;
    for (std::size_t i = 0; i < segments.size(); ++i)
      if (is_name(each.segments[i]))
        out.parts.emplace_back(each.segments[i].substr(1, each.segments[i].size() - 2), segments[i]);
    std::copy(std::begin(each.by_method), std::end(each.by_method), std::begin(out.by_method));
    out.found = true;
    return;
  }
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
