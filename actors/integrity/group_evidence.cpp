#include "actors/integrity/group_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace credence::integrity {

namespace {

constexpr std::uint32_t apart_max_s = 10; // from one vote of a moment to the next
constexpr std::size_t moment_size_min = 3;

/// How many groups of a size could be picked: what is found among so many is the less surprising.
double decades_of_picks(std::size_t people, std::size_t size) {
  const auto n = static_cast<double>(std::max(people, size));
  const auto k = static_cast<double>(size);
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(10.0);
}

bool has(const members& group, std::int32_t who) { return std::binary_search(group.begin(), group.end(), who); }

template <class Pairs>
std::int32_t pairs_among(const members& group, const Pairs& pairs) {
  return static_cast<std::int32_t>(std::count_if(pairs.begin(), pairs.end(), [&](const auto& each) {
    const auto [a, b] = both_of(each.pair);
    return has(group, a) && has(group, b);
  }));
}

class describer {
public:
  describer(const evidence& from, const bounds& within, std::size_t people)
    : from_(from), within_(within), people_(people) {}

  found_group describe(const members& group, const std::vector<vote_seen>& votes) const {
    found_group out;
    for (std::size_t i = 0; i < std::min(group.size(), within_.members_max); ++i)
      out.members.push_back({group[i], from_.joining.of(group[i])});
    signs(group, out);
    moments(votes, out);
    return out;
  }

private:
  void signs(const members& group, found_group& out) const {
    const auto add = [&](sign what, double decades, std::int32_t pairs) {
      if (pairs == 0 || decades <= 0)
        return;
      out.signs.push_back({what, decades, pairs});
      out.decades += decades;
    };
    add(sign::same_seconds, decades_holding(group, from_.seconds), pairs_among(group, from_.seconds));
    add(sign::fresh_alike, decades_holding(group, from_.newcomers), pairs_among(group, from_.newcomers));
    add(sign::reciprocal, decades_of_ties(group), pairs_among(group, from_.mutual));
    double burst = 0;
    std::int32_t votes = 0;
    for (const auto& each : from_.bursts) {
      const auto here =
        std::count_if(each.who.begin(), each.who.end(), [&](std::int32_t who) { return has(group, who); });
      if (here * 2 < static_cast<std::ptrdiff_t>(each.who.size()))
        continue;
      burst = std::max(burst, each.decades);
      votes += static_cast<std::int32_t>(here);
    }
    add(sign::burst, burst, votes);
    const bool only_burst =
      out.signs.size() == 1 && out.signs.front().what == sign::burst; // found by its minute, not among all groups
    if (!only_burst)
      out.decades -= decades_of_picks(people_, group.size());
    std::stable_sort(out.signs.begin(), out.signs.end(),
                     [](const sign_seen& a, const sign_seen& b) { return a.decades > b.decades; });
    for (const auto& each : from_.mutual) {
      const auto [a, b] = both_of(each.pair);
      if (has(group, a) && has(group, b))
        for (std::size_t kind = 0; kind < tie_kinds; ++kind)
          out.mutual[kind] += each.kinds[kind] ? 1 : 0;
    }
  }

  /// Who speaks well of two others tells nothing of what these think of each other, so all pairs count.
  double decades_of_ties(const members& group) const {
    double sum = 0;
    for (const auto& each : from_.mutual) {
      const auto [a, b] = both_of(each.pair);
      sum += has(group, a) && has(group, b) ? each.decades : 0;
    }
    return sum;
  }

  /// The moments at which several members voted; `votes` are theirs, in order of cause and time.
  void moments(const std::vector<vote_seen>& votes, found_group& out) const {
    for (std::size_t begin = 0; begin < votes.size();) {
      auto end = begin + 1;
      while (end < votes.size() && votes[end].cause == votes[begin].cause
             && votes[end].second - votes[end - 1].second <= apart_max_s)
        ++end;
      moment here{votes[begin].cause, votes[begin].second, votes[end - 1].second, {}};
      for (auto i = begin; i < end; ++i)
        here.who.push_back(profile_id{votes[i].voter});
      std::sort(here.who.begin(), here.who.end());
      here.who.erase(std::unique(here.who.begin(), here.who.end()), here.who.end());
      if (here.who.size() >= moment_size_min)
        out.moments.push_back(std::move(here));
      begin = end;
    }
    out.moments_all = static_cast<std::int32_t>(out.moments.size());
    std::sort(out.moments.begin(), out.moments.end(), [](const moment& a, const moment& b) {
      return a.who.size() != b.who.size() ? a.who.size() > b.who.size() : a.first > b.first;
    });
    if (out.moments.size() > within_.moments_max)
      out.moments.resize(within_.moments_max);
  }

  const evidence& from_;
  const bounds& within_;
  std::size_t people_;
};

/// The votes of each group's members, from one pass over all votes.
std::vector<std::vector<vote_seen>> votes_of(const std::vector<members>& groups, const std::vector<vote_seen>& votes) {
  std::unordered_multimap<std::int32_t, std::size_t> group_of;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const auto each : groups[i])
      group_of.emplace(each, i);
  std::vector<std::vector<vote_seen>> out(groups.size());
  for (const auto& each : votes) {
    const auto [from, to] = group_of.equal_range(each.voter);
    for (auto at = from; at != to; ++at)
      out[at->second].push_back(each);
  }
  return out;
}

} // namespace

std::vector<found_group> described(std::vector<members> groups, const evidence& from, const bounds& within,
                                   std::size_t people) {
  if (groups.size() > within.groups_looked_at_max) { // each is held against all pairs; the larger ones go first
    std::stable_sort(groups.begin(), groups.end(),
                     [](const members& a, const members& b) { return a.size() > b.size(); });
    groups.resize(within.groups_looked_at_max);
  }
  const describer by{from, within, people};
  const auto votes = votes_of(groups, from.votes);
  std::vector<found_group> out;
  for (std::size_t i = 0; i < groups.size(); ++i)
    out.push_back(by.describe(groups[i], votes[i]));
  std::erase_if(out, [](const found_group& group) { return group.decades <= 0; });
  std::stable_sort(out.begin(), out.end(),
                   [](const found_group& a, const found_group& b) { return a.decades > b.decades; });
  if (out.size() > within.groups_max)
    out.resize(within.groups_max);
  return out;
}

} // namespace credence::integrity
