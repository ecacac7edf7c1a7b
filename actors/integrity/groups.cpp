#include "actors/integrity/groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace credence::integrity {

namespace {

constexpr int encounters_min = 3;           // on different projects
constexpr std::uint32_t sitting_s = 1800;   // encounters nearer to each other than this are of one sitting
constexpr double decades_in_sitting = 0.5;  // of a further encounter in it
constexpr std::size_t told_every = 1 << 16; // votes

/// Counts pairs in cells that several may share: never too few, seldom too many.
class pair_counter {
public:
  pair_counter() : cells_{std::vector<std::uint8_t>(cells), std::vector<std::uint8_t>(cells)} {}
  void add(std::uint64_t pair) noexcept {
    const auto bits = mixed(pair);
    bump(cells_[0][bits % cells]);
    bump(cells_[1][bits / cells % cells]);
  }
  int most(std::uint64_t pair) const noexcept {
    const auto bits = mixed(pair);
    return std::min(cells_[0][bits % cells], cells_[1][bits / cells % cells]);
  }

private:
  static constexpr std::size_t cells = std::size_t{1} << 25;
  static void bump(std::uint8_t& cell) noexcept { cell = static_cast<std::uint8_t>(cell + (cell < 255 ? 1 : 0)); }
  /// splitmix64; ids are given out by the service, so nobody chooses them.
  static std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
  }

  std::array<std::vector<std::uint8_t>, 2> cells_;
};

struct encounter {
  std::uint64_t pair = 0;
  std::uint32_t cause = 0;
  std::uint32_t second = 0;
  float decades = 0;
};

/// The votes for one cause, in order of time.
struct bucket {
  const vote_seen* votes = nullptr;
  std::size_t size = 0;
};

/// The chance that somebody who might have voted at another time did so within `apart` seconds of a vote with `around`
/// votes about it.
double chance_of(const nearness& how, std::uint32_t second, std::size_t around, std::size_t bucket_size,
                 std::uint32_t apart) {
  const auto share =
    static_cast<double>(around) / std::max(1.0, how.out_of ? how.out_of(second) : static_cast<double>(bucket_size));
  if (!how.narrow_says_more)
    return std::min(1.0, share);
  // Three widths are tried, so each may claim a third of the chances.
  const auto width = apart <= 1 ? 1u : apart <= 3 ? 3u : how.window_s;
  return std::min(1.0, share * 3 * (2 * width + 1) / (2 * how.around_s + 1));
}

/// Calls `met(first vote, second vote, votes around the first)` for all encounters in a bucket.
template <class Met>
void for_each_encounter(const bucket& in, const nearness& how, std::uint32_t neighbours, Met met) {
  std::size_t low = 0;
  std::size_t high = 0;
  for (std::size_t i = 0; i < in.size; ++i) {
    const auto at = in.votes[i].second;
    while (in.votes[low].second + how.around_s < at)
      ++low;
    while (high < in.size && in.votes[high].second <= at + how.around_s)
      ++high;
    const auto until = std::min(in.size, i + 1 + neighbours);
    for (auto j = i + 1; j < until && in.votes[j].second - at <= how.window_s; ++j)
      if (in.votes[i].voter != in.votes[j].voter)
        met(in.votes[i], in.votes[j], high - low);
  }
}

/// Runs through all buckets of sorted votes; false when told to stop. Tells of the part `from` to `to` of the work.
template <class Met>
bool for_all_encounters(const std::vector<vote_seen>& votes, const nearness& how, std::uint32_t neighbours,
                        const watch& told, double from, double to, Met met) {
  std::size_t told_at = 0;
  for (std::size_t begin = 0; begin < votes.size();) {
    auto end = begin;
    while (end < votes.size() && votes[end].cause == votes[begin].cause)
      ++end;
    const bucket in{votes.data() + begin, end - begin};
    for_each_encounter(in, how, neighbours,
                       [&](const vote_seen& a, const vote_seen& b, std::size_t around) { met(a, b, around, in.size); });
    begin = end;
    if (begin - told_at >= told_every) {
      told_at = begin;
      if (!told(from + (to - from) * static_cast<double>(begin) / static_cast<double>(votes.size())))
        return false;
    }
  }
  return true;
}

double decades_of_choices(int out_of, int chosen) {
  const auto n = static_cast<double>(out_of);
  const auto k = static_cast<double>(chosen);
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(10.0);
}

/// Whom each profile voted with: its causes, found by its id.
class causes_by_voter {
public:
  explicit causes_by_voter(const std::vector<vote_seen>& votes) {
    all_.reserve(votes.size());
    for (const auto& each : votes)
      all_.push_back({each.voter, each.cause});
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  }
  /// How many causes both voted for.
  int common(std::int32_t a, std::int32_t b) const {
    auto of_a = first(a);
    auto of_b = first(b);
    int out = 0;
    while (of_a != all_.end() && of_b != all_.end() && of_a->first == a && of_b->first == b) {
      if (of_a->second == of_b->second) {
        ++out;
        ++of_a;
        ++of_b;
      } else
        of_a->second < of_b->second ? ++of_a : ++of_b;
    }
    return out;
  }

  /// How many the busier of them voted for.
  int most(std::int32_t a, std::int32_t b) const {
    const auto count = [&](std::int32_t who) { return first(who + 1) - first(who); };
    return static_cast<int>(std::max(count(a), count(b)));
  }

private:
  using entry = std::pair<std::int32_t, std::uint32_t>;
  std::vector<entry>::const_iterator first(std::int32_t voter) const {
    return std::lower_bound(all_.begin(), all_.end(), entry{voter, 0});
  }
  std::vector<entry> all_;
};

/// What the encounters of one pair say; they come in order of time.
double decades_of(std::vector<encounter>& met, const causes_by_voter& causes, const nearness& how, double decades_min) {
  std::sort(met.begin(), met.end(), [](const encounter& a, const encounter& b) { return a.second < b.second; });
  std::vector<std::int32_t> projects;
  double sum = 0;
  std::uint32_t last = 0;
  for (const auto& each : met) {
    const auto project = project_of(each.cause).value;
    if (std::find(projects.begin(), projects.end(), project) != projects.end())
      continue;
    const bool same_sitting = !projects.empty() && each.second - last < sitting_s;
    sum += same_sitting ? std::min<double>(each.decades, decades_in_sitting) : each.decades;
    projects.push_back(project);
    last = each.second;
  }
  const auto times = static_cast<int>(projects.size());
  if (times < encounters_min || sum < decades_min)
    return 0;
  const auto [a, b] = both_of(met.front().pair);
  const auto chances = how.against_all_they_did ? causes.most(a, b) : causes.common(a, b);
  return sum - decades_of_choices(std::max(times, chances), times);
}

std::uint32_t neighbours_within(const nearness& how, std::size_t votes, std::int64_t near_pairs_max) {
  const auto each = votes == 0 ? near_pairs_max : near_pairs_max / static_cast<std::int64_t>(votes);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(each, 1, how.neighbours));
}

} // namespace

std::optional<std::vector<pair_found>> pairs_that_vote_alike(std::vector<vote_seen>& votes, const nearness& how,
                                                             double decades_min, const bounds& within,
                                                             const watch& told) {
  std::sort(votes.begin(), votes.end(), [](const vote_seen& a, const vote_seen& b) {
    return std::tuple{a.cause, a.second, a.voter} < std::tuple{b.cause, b.second, b.voter};
  });
  if (!told(0.1))
    return std::nullopt;
  const auto neighbours = neighbours_within(how, votes.size(), within.near_pairs_max);
  std::vector<encounter> kept;
  {
    pair_counter counts;
    if (!for_all_encounters(votes, how, neighbours, told, 0.1, 0.4,
                            [&](const vote_seen& a, const vote_seen& b, std::size_t, std::size_t) {
                              counts.add(pair_of(a.voter, b.voter));
                            }))
      return std::nullopt;
    for (int least = encounters_min;; least += 1 + least / 2) { // pairs that met oftener, where there are too many
      kept.clear();
      bool fits = true;
      if (!for_all_encounters(votes, how, neighbours, told, 0.4, 0.8,
                              [&](const vote_seen& a, const vote_seen& b, std::size_t around, std::size_t size) {
                                const auto pair = pair_of(a.voter, b.voter);
                                if (!fits || counts.most(pair) < least)
                                  return;
                                fits = kept.size() < within.kept_pairs_max;
                                const auto chance = chance_of(how, a.second, around, size, b.second - a.second);
                                kept.push_back({pair, a.cause, a.second, static_cast<float>(-std::log10(chance))});
                              }))
        return std::nullopt;
      if (fits || least >= 64)
        break;
    }
  }
  std::sort(kept.begin(), kept.end(), [](const encounter& a, const encounter& b) {
    return std::tuple{a.pair, a.second} < std::tuple{b.pair, b.second};
  });
  const causes_by_voter causes{votes};
  std::vector<pair_found> out;
  std::vector<encounter> of_pair;
  for (std::size_t i = 0; i < kept.size();) {
    of_pair.clear();
    const auto pair = kept[i].pair;
    for (; i < kept.size() && kept[i].pair == pair; ++i)
      of_pair.push_back(kept[i]);
    if (static_cast<int>(of_pair.size()) < encounters_min)
      continue;
    if (const auto decades = decades_of(of_pair, causes, how, decades_min); decades >= decades_min)
      out.push_back({pair, decades});
  }
  if (!told(1))
    return std::nullopt;
  return out;
}

namespace {

using numbers = std::vector<std::uint32_t>;

/// The profiles of a graph, numbered, and whom each is joined to.
struct graph {
  members ids;
  std::vector<numbers> joined_to;
};

graph graph_of(const std::vector<pair_found>& edges) {
  graph out;
  for (const auto& each : edges) {
    const auto [a, b] = both_of(each.pair);
    out.ids.push_back(a);
    out.ids.push_back(b);
  }
  std::sort(out.ids.begin(), out.ids.end());
  out.ids.erase(std::unique(out.ids.begin(), out.ids.end()), out.ids.end());
  out.joined_to.resize(out.ids.size());
  const auto number = [&](std::int32_t id) {
    return static_cast<std::uint32_t>(std::lower_bound(out.ids.begin(), out.ids.end(), id) - out.ids.begin());
  };
  for (const auto& each : edges) {
    const auto [a, b] = both_of(each.pair);
    out.joined_to[number(a)].push_back(number(b));
    out.joined_to[number(b)].push_back(number(a));
  }
  return out;
}

class dense_parts {
public:
  dense_parts(const graph& of, std::size_t size_min)
    : graph_(of), size_min_(size_min), part_of_(of.ids.size(), 0), degree_(of.ids.size(), 0) {}

  std::vector<members> find() {
    numbers all(graph_.ids.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<std::pair<numbers, std::uint32_t>> waiting{{std::move(all), 2}};
    while (!waiting.empty()) {
      auto [part, least] = std::move(waiting.back());
      waiting.pop_back();
      for (auto& each : joined_parts(peeled(std::move(part), least)))
        if (each.size() >= size_min_) {
          if (is_dense(each))
            keep(each);
          else
            waiting.emplace_back(std::move(each), least + 1);
        }
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

private:
  void mark(const numbers& part) {
    ++marks_;
    for (const auto each : part)
      part_of_[each] = marks_;
  }

  /// Those of a part that are joined to `least` others that stay, too.
  numbers peeled(numbers part, std::uint32_t least) {
    mark(part);
    numbers going;
    for (const auto each : part) {
      degree_[each] =
        static_cast<std::uint32_t>(std::count_if(graph_.joined_to[each].begin(), graph_.joined_to[each].end(),
                                                 [&](std::uint32_t other) { return part_of_[other] == marks_; }));
      if (degree_[each] < least)
        going.push_back(each);
    }
    for (std::size_t i = 0; i < going.size(); ++i) {
      part_of_[going[i]] = 0;
      for (const auto other : graph_.joined_to[going[i]])
        if (part_of_[other] == marks_ && degree_[other]-- == least)
          going.push_back(other);
    }
    std::erase_if(part, [&](std::uint32_t each) { return part_of_[each] != marks_; });
    return part;
  }

  std::vector<numbers> joined_parts(const numbers& part) {
    mark(part);
    std::vector<numbers> out;
    for (const auto from : part) {
      if (part_of_[from] != marks_)
        continue;
      numbers reached{from};
      part_of_[from] = 0;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const auto other : graph_.joined_to[reached[i]])
          if (part_of_[other] == marks_) {
            part_of_[other] = 0;
            reached.push_back(other);
          }
      out.push_back(std::move(reached));
    }
    return out;
  }

  bool is_dense(const numbers& part) {
    mark(part);
    std::size_t ends = 0;
    for (const auto each : part)
      ends += static_cast<std::size_t>(std::count_if(graph_.joined_to[each].begin(), graph_.joined_to[each].end(),
                                                     [&](std::uint32_t other) { return part_of_[other] == marks_; }));
    return ends * 2 >= part.size() * (part.size() - 1);
  }

  void keep(const numbers& part) {
    members out;
    for (const auto each : part)
      out.push_back(graph_.ids[each]);
    std::sort(out.begin(), out.end());
    found_.push_back(std::move(out));
  }

  const graph& graph_;
  std::size_t size_min_;
  numbers part_of_; // the mark of the part that a profile is in
  numbers degree_;  // within it
  std::uint32_t marks_ = 0;
  std::vector<members> found_;
};

} // namespace

std::vector<members> dense_groups(const std::vector<pair_found>& edges, std::size_t size_min) {
  const auto all = graph_of(edges);
  return dense_parts{all, size_min}.find();
}

double decades_holding(const members& group, const std::vector<pair_found>& edges_by_pair) {
  std::vector<pair_found> among;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t j = i + 1; j < group.size(); ++j) {
      const auto pair = pair_of(group[i], group[j]);
      const auto found =
        std::lower_bound(edges_by_pair.begin(), edges_by_pair.end(), pair,
                         [](const pair_found& edge, std::uint64_t wanted) { return edge.pair < wanted; });
      if (found != edges_by_pair.end() && found->pair == pair)
        among.push_back(*found);
    }
  std::sort(among.begin(), among.end(), [](const pair_found& a, const pair_found& b) { return a.decades > b.decades; });
  std::unordered_map<std::int32_t, std::int32_t> leads_to; // each member to another one of its tree
  for (const auto each : group)
    leads_to[each] = each;
  const auto root = [&](std::int32_t of) {
    while (leads_to[of] != of)
      of = leads_to[of] = leads_to[leads_to[of]];
    return of;
  };
  double sum = 0;
  for (const auto& each : among) {
    const auto [a, b] = both_of(each.pair);
    if (const auto one = root(a), other = root(b); one != other) {
      leads_to[one] = other;
      sum += each.decades;
    }
  }
  return sum;
}

} // namespace credence::integrity
