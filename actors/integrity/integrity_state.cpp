#include "actors/integrity/integrity_state.hpp"

#include "actors/integrity/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace credence::integrity {

namespace {

constexpr std::size_t group_size_min = 4;
constexpr std::size_t reciprocal_size_min = 5;
constexpr int reciprocal_kinds_min = 2;
constexpr double decades_least = 6;
constexpr double decades_of_ties_max = 3; // that ties may add to votes
constexpr std::uint32_t half_week_s = 7 * 24 * hour_s / 2;

/// A part of the work, as part of all of it.
watch part_of(const watch& told, double from, double to) {
  return [&told, from, to](double done) { return told(from + (to - from) * done); };
}

std::size_t voters_in(const std::vector<vote_seen>& votes) {
  std::vector<std::int32_t> all;
  all.reserve(votes.size());
  for (const auto& each : votes)
    all.push_back(each.voter);
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

/// The first votes of newcomers, in order: how many of them there are about a second.
std::vector<std::uint32_t> first_votes(const std::vector<vote_seen>& of_newcomers) {
  std::unordered_map<std::int32_t, std::uint32_t> first;
  for (const auto& each : of_newcomers) {
    const auto [at, fresh] = first.emplace(each.voter, each.second);
    if (!fresh)
      at->second = std::min(at->second, each.second);
  }
  std::vector<std::uint32_t> out;
  for (const auto& [who, second] : first)
    out.push_back(second);
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<std::vector<pair_found>> newcomers_alike(const std::vector<vote_seen>& votes,
                                                       const joining_times& joining, double decades_min,
                                                       const bounds& within, const watch& told) {
  std::vector<vote_seen> fresh;
  std::copy_if(votes.begin(), votes.end(), std::back_inserter(fresh),
               [&](const vote_seen& each) { return joining.is_newcomer(each); });
  const auto first = first_votes(fresh);
  nearness how{.window_s = hour_s, .around_s = hour_s, .neighbours = 32, .narrow_says_more = false};
  how.against_all_they_did = true;
  how.out_of = [&](std::uint32_t second) {
    const auto low = std::lower_bound(first.begin(), first.end(), second - std::min(second, half_week_s));
    return static_cast<double>(std::upper_bound(low, first.end(), second + half_week_s) - low);
  };
  return pairs_that_vote_alike(fresh, how, decades_min, within, told);
}

/// Evidence of both kinds and of ties, added up for each pair that votes alike; what comes to `needed` at least.
std::vector<pair_found> edges_of(const std::vector<pair_found>& seconds, const std::vector<pair_found>& newcomers,
                                 const std::vector<mutual_found>& mutual, double needed) {
  std::unordered_map<std::uint64_t, double> sums;
  for (const auto* pairs : {&seconds, &newcomers})
    for (const auto& each : *pairs)
      sums[each.pair] += each.decades;
  for (const auto& each : mutual)
    if (const auto found = sums.find(each.pair); found != sums.end())
      found->second += std::min(each.decades, decades_of_ties_max);
  std::vector<pair_found> out;
  for (const auto& [pair, decades] : sums)
    if (decades >= needed)
      out.push_back({pair, decades});
  std::sort(out.begin(), out.end(), [](const pair_found& a, const pair_found& b) { return a.pair < b.pair; });
  return out;
}

/// Whether at least half of them are in one of the groups.
bool known(const members& who, const std::vector<members>& groups) {
  return std::any_of(groups.begin(), groups.end(), [&](const members& group) {
    const auto both = std::count_if(
      who.begin(), who.end(), [&](std::int32_t each) { return std::binary_search(group.begin(), group.end(), each); });
    return both * 2 >= static_cast<std::ptrdiff_t>(who.size());
  });
}

void add_new(std::vector<members> found, std::vector<members>& groups) {
  for (auto& each : found)
    if (!known(each, groups))
      groups.push_back(std::move(each));
}

std::vector<members> reciprocal_groups(const std::vector<mutual_found>& mutual) {
  std::vector<pair_found> edges;
  for (const auto& each : mutual)
    if (each.count() >= reciprocal_kinds_min)
      edges.push_back({each.pair, each.decades});
  return dense_groups(edges, reciprocal_size_min);
}

} // namespace

double decades_needed_among(std::size_t people) {
  return std::max(decades_least, std::log10(10.0 * static_cast<double>(std::max<std::size_t>(people, 1))) + 0.5);
}

std::optional<findings> analyse(acts& what, const bounds& within, const watch& told) {
  findings out;
  out.votes = static_cast<std::int64_t>(what.votes.size());
  out.ties = static_cast<std::int64_t>(what.ties.size());
  out.people = static_cast<std::int64_t>(what.people.size());
  const auto people = std::max(voters_in(what.votes), what.people.size());
  const auto needed = decades_needed_among(people);
  const auto seconds = pairs_that_vote_alike(what.votes, nearness{}, needed / 2, within, part_of(told, 0, 0.7));
  if (!seconds)
    return std::nullopt;
  const joining_times joining{what.people};
  const auto newcomers = newcomers_alike(what.votes, joining, needed / 2, within, part_of(told, 0.7, 0.9));
  if (!newcomers)
    return std::nullopt;
  const auto mutual = mutual_ties(what.ties);
  const auto bursts = bursts_of_newcomers(
    what.votes, joining, needed + std::log10(1.0 + static_cast<double>(what.votes.size())), within.groups_max);
  auto groups = dense_groups(edges_of(*seconds, *newcomers, mutual, needed), group_size_min);
  add_new(reciprocal_groups(mutual), groups);
  std::vector<members> of_bursts;
  for (const auto& each : bursts)
    of_bursts.push_back(each.who);
  add_new(std::move(of_bursts), groups);
  if (!told(0.95))
    return std::nullopt;
  out.groups =
    described(std::move(groups), {what.votes, *seconds, *newcomers, mutual, bursts, joining}, within, people);
  told(1);
  return out;
}

} // namespace credence::integrity
