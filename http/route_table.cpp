#include "http/route_table.hpp"

#include <algorithm>
#include <array>

namespace credence::http {

namespace {

constexpr std::array<std::string_view, 5> method_names{"GET", "POST", "PUT", "PATCH", "DELETE"};

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

} // namespace

route_table::route_table(std::span<const route> routes) {
  entries_.reserve(routes.size());
  std::vector<std::string_view> segments;
  for (const auto& each : routes) {
    entries_.push_back({&each, &ops::the_metrics().add_route(method_names[static_cast<std::size_t>(each.verb)],
                                                             each.path)});
    split(each.path, segments);
    auto same = std::find_if(patterns_.begin(), patterns_.end(),
                             [&](const pattern& p) { return p.segments == segments; });
    if (same == patterns_.end()) {
      const auto literals = std::count_if(segments.begin(), segments.end(),
                                          [](std::string_view s) { return !is_name(s); });
      same = patterns_.insert(patterns_.end(), pattern{segments, {}, static_cast<std::size_t>(literals)});
    }
    same->by_method[static_cast<std::size_t>(each.verb)] = &entries_.back();
  }
  std::stable_sort(patterns_.begin(), patterns_.end(),
                   [](const pattern& a, const pattern& b) { return a.literals > b.literals; });
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
    for (std::size_t i = 0; fits && i < segments.size(); ++i)
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
  for (std::size_t i = 0; i < method_names.size(); ++i)
    if (by_method[i]) {
      out += out.empty() ? "" : ", ";
      out += method_names[i];
      if (i == static_cast<std::size_t>(method::get))
        out += ", HEAD";
    }
  return out + (out.empty() ? "OPTIONS" : ", OPTIONS");
}

} // namespace credence::http
