// Who voted: pages of voters, totals of some of them, and the votes block of a listing.
#include "actors/project/project_state.hpp"

#include <algorithm>
#include <cassert>

namespace credence::project {

using namespace std::chrono_literals;

namespace {

/// Scores change behind a ranking: it is made anew this often, or as seldom as keeps that
/// below one percent of the time.
constexpr std::chrono::microseconds ranking_kept_for = 5s;
constexpr std::chrono::microseconds ranking_kept_for_each_voter = 20us;
constexpr std::size_t rankings_max = 3;

std::int64_t matching(const voter_totals& totals, const std::optional<sentiment>& side) {
  if (!side)
    return totals.voters;
  return *side == sentiment::bullish ? totals.bullish_voters : totals.bearish_voters;
}

} // namespace

template <class Entry>
void project_state::fill(Entry& entry, std::uint32_t newest, const selection& in) const {
  const auto add = [&](std::vector<reason_count>& to, std::int32_t reason) {
    const auto text = reason < 0 ? std::optional<std::string>{} : reasons_[static_cast<std::size_t>(reason)];
    const auto found =
      std::find_if(to.begin(), to.end(), [&](const reason_count& r) { return r.reason == text; });
    if (found != to.end())
      ++found->votes;
    else
      to.push_back({text, 1});
  };
  for (auto at = newest; at != none && in.holds(at); at = rows_[at].previous) {
    const auto& r = rows_[at];
    const bool bullish = r.side() == sentiment::bullish;
    ++(bullish ? entry.bullish : entry.bearish);
    add(bullish ? entry.bullish_reasons : entry.bearish_reasons, r.reason());
    if constexpr (requires { entry.first_vote_at; })
      entry.first_vote_at = r.at;
  }
  const auto by_votes = [](const reason_count& a, const reason_count& b) { return a.votes > b.votes; };
  std::stable_sort(entry.bullish_reasons.begin(), entry.bullish_reasons.end(), by_votes);
  std::stable_sort(entry.bearish_reasons.begin(), entry.bearish_reasons.end(), by_votes);
}

voters_page project_state::voters(const get_voters& asked, const period::calendar& periods,
                                  timestamp now) const {
  const auto in = select(asked.in, periods, now);
  const bool one_period = in.totals && in.totals != &totals_;
  const auto end = std::int64_t{asked.slice.offset} + asked.slice.limit;
  voters_page page;
  std::vector<std::uint32_t> shown;
  if (in.totals && asked.order == voter_order::updated_at && (asked.descending || one_period))
    shown = page_by_time(asked, in);
  else if (in.totals && asked.order == voter_order::score && asked.descending
           && end <= static_cast<std::int64_t>(ranking::depth))
    shown = page_by_score(asked, in, now);
  else
    shown = page_by_sorting(asked, in, page);
  if (in.totals)
    page.totals = *in.totals;
  page.total = matching(page.totals, asked.side);
  page.entries.reserve(shown.size());
  for (const auto newest : shown) {
    auto& entry = page.entries.emplace_back();
    entry.voter = profile_id{rows_[newest].voter};
    entry.last_vote_at = rows_[newest].at;
    fill(entry, newest, in);
  }
  return page;
}

std::vector<std::uint32_t> project_state::page_by_score(const get_voters& asked, const selection& in,
                                                        timestamp now) const {
  const auto& kept = ranking_of(in, now);
  const auto& best = (!asked.side                            ? kept.any
                      : *asked.side == sentiment::bullish ? kept.bullish
                                                          : kept.bearish)
                       .best();
  const auto first = std::min(best.size(), static_cast<std::size_t>(asked.slice.offset));
  const auto last = std::min(best.size(), first + static_cast<std::size_t>(asked.slice.limit));
  std::vector<std::uint32_t> out;
  for (auto i = first; i < last; ++i)
    out.push_back(newest_in(profile_id{best[i].voter}, in));
  return out;
}

std::vector<std::uint32_t> project_state::page_by_time(const get_voters& asked, const selection& in) const {
  const bool all_time = in.totals == &totals_;
  const auto offset = static_cast<std::uint32_t>(asked.slice.offset);
  const auto limit = static_cast<std::size_t>(asked.slice.limit);
  const auto size = in.last - in.first;
  const bool each_counts = !all_time && !asked.side;
  auto skip = each_counts ? 0 : offset;
  std::vector<std::uint32_t> out;
  for (auto i = each_counts ? offset : 0; i < size && out.size() < limit; ++i) {
    const auto at = asked.descending ? in.last - 1 - i : in.first + i;
    const auto& r = rows_[at];
    if (all_time && newest_in(profile_id{r.voter}, in) != at)
      continue;
    if (asked.side && (all_time ? r.upto(*asked.side) == 0 : r.side() != *asked.side))
      continue;
    if (skip > 0)
      --skip;
    else
      out.push_back(at);
  }
  return out;
}

std::vector<std::uint32_t> project_state::page_by_sorting(const get_voters& asked, const selection& in,
                                                          voters_page& page) const {
  struct ranked {
    std::int64_t key;
    std::int32_t voter; // 0 when ordered by time: no two rows are equal
    std::uint32_t newest;
  };
  std::vector<ranked> all;
  const auto newest = newest_rows(in);
  all.reserve(newest.size());
  for (const auto at : newest) {
    const auto bullish = count_of(sentiment::bullish, at, in);
    const auto bearish = count_of(sentiment::bearish, at, in);
    ++page.totals.voters;
    page.totals.bullish_voters += bullish > 0;
    page.totals.bearish_voters += bearish > 0;
    page.totals.bullish_votes += bullish;
    page.totals.bearish_votes += bearish;
    if (asked.side && (*asked.side == sentiment::bullish ? bullish : bearish) == 0)
      continue;
    const bool by_score = asked.order == voter_order::score;
    const auto voter = rows_[at].voter;
    const auto key = by_score ? std::int64_t{people_->score_of(profile_id{voter})} : std::int64_t{at};
    all.push_back({asked.descending ? -key : key, by_score ? voter : 0, at});
  }
  const auto first = std::min(all.size(), static_cast<std::size_t>(asked.slice.offset));
  const auto last = std::min(all.size(), first + static_cast<std::size_t>(asked.slice.limit));
  // Only the page wanted is put in order, not a million voters.
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(last), all.end(),
                    [](const ranked& a, const ranked& b) {
                      return std::pair{a.key, a.voter} < std::pair{b.key, b.voter};
                    });
  std::vector<std::uint32_t> out;
  for (auto i = first; i < last; ++i)
    out.push_back(all[i].newest);
  return out;
}

std::vector<profile_totals> project_state::bulk_totals(const get_bulk_totals& asked,
                                                       const period::calendar& periods, timestamp now) const {
  const auto in = select(asked.in, periods, now);
  std::vector<profile_totals> out;
  out.reserve(asked.voters.size());
  for (const auto voter : asked.voters) {
    auto& totals = out.emplace_back();
    totals.voter = voter;
    fill(totals, newest_in(voter, in), in);
  }
  return out;
}

// -- rankings ---------------------------------------------------------------------------

const project_state::kept_ranking& project_state::ranking_of(const selection& in, timestamp now) const {
  assert(in.totals);
  const auto older = [](const kept_ranking& a, const kept_ranking& b) { return a.made < b.made; };
  auto kept = std::find_if(rankings_.begin(), rankings_.end(),
                           [&](const kept_ranking& each) { return each.in == in.in; });
  const bool known = kept != rankings_.end();
  const auto offer = [&](const row& r, bool any, bool bullish, bool bearish) {
    const ranked_voter who{people_->score_of(profile_id{r.voter}), r.voter};
    if (any)
      kept->any.offer(who);
    if (bullish)
      kept->bullish.offer(who);
    if (bearish)
      kept->bearish.offer(who);
  };
  const auto keep_for = std::max(ranking_kept_for, in.totals->voters * ranking_kept_for_each_voter);
  if (known && now >= kept->made && now - kept->made < keep_for) {
    const bool all_time = in.totals == &totals_;
    for (auto at = std::max(kept->through, in.first); at < in.last; ++at) {
      const auto& r = rows_[at];
      // Those with an earlier vote were offered before: they have a place already, or none.
      const bool first = !all_time || r.bullish_upto + r.bearish_upto == 1;
      const bool first_of_side = !all_time || r.upto(r.side()) == 1;
      const bool bullish = r.side() == sentiment::bullish;
      offer(r, first, first_of_side && bullish, first_of_side && !bullish);
    }
    kept->through = in.last;
    return *kept;
  }
  if (!known && rankings_.size() < rankings_max)
    kept = rankings_.emplace(rankings_.end());
  else if (!known)
    kept = std::min_element(rankings_.begin(), rankings_.end(), older);
  *kept = kept_ranking{in.in, now, in.last, {}, {}, {}};
  for (const auto at : newest_rows(in))
    offer(rows_[at], true, count_of(sentiment::bullish, at, in) > 0, count_of(sentiment::bearish, at, in) > 0);
  return *kept;
}

votes_block project_state::block(const selection& in, std::int32_t top, timestamp now) const {
  votes_block out;
  if (!in.totals) // no vote in that period
    return out;
  const auto& totals = *in.totals;
  const auto& kept = ranking_of(in, now);
  const auto first_of = [top](const ranking& from) {
    std::vector<profile_id> voters;
    for (std::size_t i = 0; i < std::min(from.best().size(), static_cast<std::size_t>(top)); ++i)
      voters.push_back(profile_id{from.best()[i].voter});
    return voters;
  };
  out.bullish = {first_of(kept.bullish), totals.bullish_votes, totals.bullish_voters};
  out.bearish = {first_of(kept.bearish), totals.bearish_votes, totals.bearish_voters};
  out.total = totals.bullish_votes + totals.bearish_votes;
  out.unique_voters = totals.voters;
  out.top_voters = first_of(kept.any);
  return out;
}

} // namespace credence::project
