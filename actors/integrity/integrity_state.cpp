#include "actors/integrity/integrity_state.hpp"

#include "actors/integrity/groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace credence::integrity {

namespace {

// -- causes that got the votes of many newcomers within a minute ---------------------------------

constexpr std::uint32_t minute_s = 60;
constexpr std::size_t newcomers_min = 6;
constexpr std::size_t others_min = 4; // votes that say how many newcomers are usual

/// How unlikely `hits` or more of `out_of` are, where each is one with the chance `each`.
double decades_of_tail(std::size_t hits, std::size_t out_of, double each) {
  if (static_cast<double>(hits) <= each * static_cast<double>(out_of))
    return 0;
  const auto n = static_cast<double>(out_of);
  const auto k = static_cast<double>(hits);
  // Chernoff's bound.
  const auto share = k / n;
  const auto nats = k * std::log(share / each) + (k < n ? (n - k) * std::log((1 - share) / (1 - each)) : 0);
  return nats / std::log(10.0);
}

/// How long somebody is a newcomer.
constexpr std::uint32_t newcomer_s = 7 * 24 * 3600;

/// Newcomers who voted for a cause within a minute.
struct burst_found {
  members who;
  double decades = 0;
};

/// When each profile joined, by its id; 0: not known.
class joining_times {
public:
  explicit joining_times(const std::vector<joined>& people) {
    seconds_.reserve(people.size());
    for (const auto& each : people)
      if (each.profile > 0)
        seconds_[each.profile] = each.second;
  }
  std::uint32_t of(std::int32_t profile) const noexcept {
    const auto found = seconds_.find(profile);
    return found == seconds_.end() ? 0 : found->second;
  }
  bool is_newcomer(const vote_seen& vote) const noexcept {
    const auto since = of(vote.voter);
    return since > 0 && vote.second >= since && vote.second - since <= newcomer_s;
  }

private:
  std::unordered_map<std::int32_t, std::uint32_t> seconds_; // ids of a chain may begin at a thousand million
};

/// The votes for one cause.
class burst_finder {
public:
  burst_finder(const vote_seen* votes, std::size_t size, const joining_times& joining, double usual, double decades_min)
    : votes_(votes), size_(size), joining_(joining), usual_(usual), decades_min_(decades_min) {}

  void find(std::vector<burst_found>& into) {
    fresh_before_.assign(size_ + 1, 0);
    for (std::size_t i = 0; i < size_; ++i)
      fresh_before_[i + 1] = fresh_before_[i] + (joining_.is_newcomer(votes_[i]) ? 1 : 0);
    if (fresh_before_[size_] < newcomers_min)
      return;
    std::size_t end = 0;
    std::size_t from = 0; // after the burst before
    for (std::size_t i = 0; i < size_; ++i) {
      while (end < size_ && votes_[end].second <= votes_[i].second + minute_s)
        ++end;
      if (i < from || fresh_before_[i + 1] == fresh_before_[i])
        continue;
      if (const auto decades = decades_between(i, end); decades >= decades_min_) {
        into.push_back({newcomers_between(i, end), decades});
        from = end;
      }
    }
  }

private:
  double decades_between(std::size_t begin, std::size_t end) const {
    const auto fresh = fresh_before_[end] - fresh_before_[begin];
    if (fresh < newcomers_min)
      return 0;
    const auto at = votes_[begin].second;
    const auto early = [](const vote_seen& vote, std::uint32_t second) { return vote.second < second; };
    const auto low = std::lower_bound(votes_, votes_ + begin, at - std::min(at, hour_s), early) - votes_;
    const auto high = std::lower_bound(votes_ + end, votes_ + size_, at + hour_s, early) - votes_;
    const auto usual =
      std::max({usual_, share_beside(0, size_, begin, end),
                share_beside(static_cast<std::size_t>(low), static_cast<std::size_t>(high), begin, end)});
    return decades_of_tail(fresh, end - begin, std::clamp(usual, 1e-4, 0.99));
  }
  /// The share of newcomers among the votes from `low` to `high` but for those from `begin` to `end`; 0 where these are
  /// too few to tell.
  double share_beside(std::size_t low, std::size_t high, std::size_t begin, std::size_t end) const {
    const auto others = high - low - (end - begin);
    const auto fresh = fresh_before_[high] - fresh_before_[low] - (fresh_before_[end] - fresh_before_[begin]);
    return others < others_min ? 0 : static_cast<double>(fresh + 1) / static_cast<double>(others + 2);
  }
  members newcomers_between(std::size_t begin, std::size_t end) const {
    members out;
    for (auto i = begin; i < end; ++i)
      if (joining_.is_newcomer(votes_[i]))
        out.push_back(votes_[i].voter);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  const vote_seen* votes_;
  std::size_t size_;
  const joining_times& joining_;
  double usual_;
  double decades_min_;
  std::vector<std::size_t> fresh_before_;
};

/// Finds minutes in which so many of the voters of a cause were newcomers that chance does it less than once in ten to
/// the power of `decades_min`, given how many of the cause's other voters are, of those within the hour, or of all
/// voters, whichever is most. A crowd that comes with the news is of all ages, and newcomers whom somebody sends come
/// over an hour. `votes` are in order of cause and time. The strongest first, at most `most`.
std::vector<burst_found> bursts_of_newcomers(const std::vector<vote_seen>& votes, const joining_times& joining,
                                             double decades_min, std::size_t most) {
  const auto fresh =
    std::count_if(votes.begin(), votes.end(), [&](const vote_seen& each) { return joining.is_newcomer(each); });
  const auto usual = votes.empty() ? 0.0 : static_cast<double>(fresh) / static_cast<double>(votes.size());
  std::vector<burst_found> out;
  for (std::size_t begin = 0; begin < votes.size();) {
    auto end = begin;
    while (end < votes.size() && votes[end].cause == votes[begin].cause)
      ++end;
    burst_finder{votes.data() + begin, end - begin, joining, usual, decades_min}.find(out);
    begin = end;
  }
  std::sort(out.begin(), out.end(), [](const burst_found& a, const burst_found& b) { return a.decades > b.decades; });
  if (out.size() > most)
    out.resize(most);
  return out;
}

// -- who speaks well of whom, both ways ----------------------------------------------------------

/// Two profiles that speak well of each other.
struct mutual_found {
  std::uint64_t pair = 0;
  std::array<bool, tie_kinds> kinds{};
  double decades = 0; // friends do so, too: at most two for each kind

  int count() const noexcept { return kinds[0] + kinds[1] + kinds[2]; }
};

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

/// All pairs that are tied both ways, by pair. A tie back is the less likely by chance the fewer ties the one has given
/// and the other received.
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

// -- what is told of a group, so that an operator can judge for himself ---------------------------

/// Everything that groups are described from; all pairs in order.
struct evidence {
  const std::vector<vote_seen>& votes; // in order of cause and time
  const std::vector<pair_found>& seconds;
  const std::vector<pair_found>& newcomers;
  const std::vector<mutual_found>& mutual;
  const std::vector<burst_found>& bursts;
  const joining_times& joining;
};

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

  /// Ties of different pairs are independent, even with a person in common, so all pairs are added up.
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

/// Describes groups, which may share members, with their signs and the moments at which they acted together; the most
/// unlikely one first. Leaves out groups that chance explains among `people` profiles.
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

// -- the whole analysis --------------------------------------------------------------------------

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
