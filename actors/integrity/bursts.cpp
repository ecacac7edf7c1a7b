#include "actors/integrity/bursts.hpp"

#include <algorithm>
#include <cmath>

namespace credence::integrity {

namespace {

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

} // namespace

joining_times::joining_times(const std::vector<joined>& people) {
  seconds_.reserve(people.size());
  for (const auto& each : people)
    if (each.profile > 0)
      seconds_[each.profile] = each.second;
}

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

} // namespace credence::integrity
