#include "actors/integrity/reciprocity.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace credence::integrity {

namespace {

constexpr double decades_max = 2; // of one kind

struct arrow {
  std::uint64_t pair = 0;
  tie_kind kind = tie_kind::review;
  bool up = false; // from the smaller id to the larger one

  auto key() const noexcept { return std::tuple{pair, kind, up}; }
};

/// How many ties of one kind there are, and how many each profile gave and received.
struct tie_counts {
  std::unordered_map<std::int32_t, std::int32_t> given;
  std::unordered_map<std::int32_t, std::int32_t> received;
  double all = 0;
};

double decades_of(const tie_counts& of, std::int32_t a, std::int32_t b) {
  const auto back = [&](std::int32_t from, std::int32_t to) {
    return of.given.at(from) * static_cast<double>(of.received.at(to)) / of.all;
  };
  const auto chance = std::min(back(a, b), back(b, a));
  return std::clamp(-std::log10(std::max(chance, 1e-9)), 0.0, decades_max);
}

} // namespace

std::vector<mutual_found> mutual_ties(const std::vector<tie_seen>& ties) {
  std::array<tie_counts, tie_kinds> counts;
  std::vector<arrow> arrows;
  arrows.reserve(ties.size());
  for (const auto& each : ties)
    if (each.from != each.to)
      arrows.push_back({pair_of(each.from, each.to), each.kind, each.from < each.to});
  std::sort(arrows.begin(), arrows.end(), [](const arrow& a, const arrow& b) { return a.key() < b.key(); });
  arrows.erase(
    std::unique(arrows.begin(), arrows.end(), [](const arrow& a, const arrow& b) { return a.key() == b.key(); }),
    arrows.end());
  for (const auto& each : arrows) {
    const auto [low, high] = both_of(each.pair);
    auto& of = counts[static_cast<std::size_t>(each.kind)];
    ++of.given[each.up ? low : high];
    ++of.received[each.up ? high : low];
    ++of.all;
  }
  std::vector<mutual_found> out;
  for (std::size_t i = 1; i < arrows.size(); ++i) {
    if (arrows[i].pair != arrows[i - 1].pair || arrows[i].kind != arrows[i - 1].kind)
      continue;
    if (out.empty() || out.back().pair != arrows[i].pair)
      out.push_back({arrows[i].pair, {}, 0});
    const auto kind = static_cast<std::size_t>(arrows[i].kind);
    const auto [a, b] = both_of(arrows[i].pair);
    out.back().kinds[kind] = true;
    out.back().decades += decades_of(counts[kind], a, b);
  }
  return out;
}

} // namespace credence::integrity
