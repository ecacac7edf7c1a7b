#include "actors/listing/board_state.hpp"

#include "actors/project/tallies.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace credence::listing {

namespace {

using project::day_tally;
using project::period_tally;

/// Orders kept at a time, by period; movements, by window.
constexpr std::size_t orders_max = 4;
constexpr std::size_t movements_max = 8;

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool earlier(const day_tally& a, const day_tally& b) { return std::tie(a.day, a.in) < std::tie(b.day, b.in); }
bool before(const period_tally& a, const period_tally& b) { return a.in < b.in; }

/// Puts a figure where it belongs among sorted ones, in place of the one it is about.
template <class T, class Less>
void put(std::vector<T>& into, const T& fresh, Less less) {
  const auto at = std::lower_bound(into.begin(), into.end(), fresh, less);
  if (at != into.end() && !less(fresh, *at))
    *at = fresh;
  else
    into.insert(at, fresh);
}

/// The same, unless there is one already.
template <class T, class Less>
void put_missing(std::vector<T>& into, const T& known, Less less) {
  if (!std::binary_search(into.begin(), into.end(), known, less))
    put(into, known, less);
}

/// The one of `kept` that fits, in front; null when there is none.
template <class T, class Fits>
T* bring_forward(std::vector<T>& kept, Fits fits) {
  const auto found = std::find_if(kept.begin(), kept.end(), fits);
  if (found == kept.end())
    return nullptr;
  std::rotate(kept.begin(), found, std::next(found));
  return &kept.front();
}

} // namespace

std::chrono::sys_days board_state::tallies_from(std::chrono::sys_days today) {
  return today - std::chrono::days{limits::days_max + 1};
}

// -- what comes in -----------------------------------------------------------------------

void board_state::take(const stored_listing& stored) {
  const auto id = stored.core->id;
  auto& entry = all_[id];
  if (entry.core) {
    enter(entry, false);
    forget_names(*entry.core);
  }
  entry.core = stored.core;
  if (const auto* user = stored.core->user.get()) {
    by_userkey_[stored.core->userkey] = id;
    by_user_[user->id] = id;
    if (user->username)
      by_username_[lower(*user->username)] = id;
  }
  auto& votes = entry.votes;
  if (!stored.periods.empty()) {
    if (stored.tallied_through >= votes.through)
      votes = {stored.tallied_through, {}, stored.days, stored.periods};
    // Otherwise what was reported is newer. It need not go back to the first vote: what is stored does.
    for (const auto& each : stored.days)
      put_missing(votes.days, each, earlier);
    for (const auto& each : stored.periods)
      put_missing(votes.periods, each, before);
    votes.all = {};
    for (const auto& each : votes.periods)
      votes.all += each.weight;
  }
  enter(entry, true);
}

void board_state::forget_names(const listing_core& core) {
  const auto forget = [&](auto& index, const auto& key) {
    if (const auto found = index.find(key); found != index.end() && found->second == core.id)
      index.erase(found);
  };
  if (!core.user)
    return;
  forget(by_userkey_, core.userkey);
  forget(by_user_, core.user->id);
  if (core.user->username)
    forget(by_username_, lower(*core.user->username));
}

bool board_state::behind(const stored_listing& stored) const {
  const auto found = all_.find(stored.core->id);
  return found == all_.end() || found->second.votes.through < stored.last_vote;
}

void board_state::report(const tally_report& report) {
  auto& entry = all_[report.project]; // without its core when the listing is not read yet
  auto& votes = entry.votes;
  if (report.through < votes.through)
    return;
  enter(entry, false);
  votes.through = report.through;
  for (const auto& fresh : report.periods)
    put(votes.periods, fresh, before);
  votes.all = {};
  for (const auto& each : votes.periods)
    votes.all += each.weight;
  if (!report.days.empty()) {
    const auto from = tallies_from(report.days.back().day);
    for (const auto& fresh : report.days)
      if (fresh.day >= from)
        put(votes.days, fresh, earlier);
    std::erase_if(votes.days, [from](const day_tally& each) { return each.day < from; });
  }
  enter(entry, true);
}

// -- orders ------------------------------------------------------------------------------

project::vote_weights board_state::tallies::in(period_id period) const {
  const auto at = std::lower_bound(periods.begin(), periods.end(), period_tally{period, {}}, before);
  return at != periods.end() && at->in == period ? at->weight : project::vote_weights{};
}

board_state::place board_state::place_in(const known& of, period_id in) {
  const auto weight = of.votes.in(in);
  return {-weight.lead(), -weight.all(), of.core->id};
}

mover board_state::mover_of(const known& of, std::chrono::sys_days today, std::int32_t window) const {
  return {of.core, project::share_change(of.votes.all, of.votes.days, today, window)};
}

board_state::place board_state::place_moved(const known& of, const movement& in) const {
  const auto change = mover_of(of, in.today, in.window).percentage_point_change;
  return {-std::llround(std::abs(change) * 100), 0, of.core->id};
}

void board_state::enter(const known& which, bool in) {
  const auto move = [in](std::vector<place>& among, const place& key) {
    const auto at = std::lower_bound(among.begin(), among.end(), key);
    if (in)
      among.insert(at, key);
    else if (at != among.end() && *at == key)
      among.erase(at);
  };
  if (!which.core || (which.core->archived && !which.core->show_archived))
    return;
  const auto& core = *which.core;
  for (auto& each : orders_)
    move(core.archived ? each.archived : each.active, place_in(which, each.in));
  if (!core.archived)
    for (auto& each : movements_)
      if (const auto key = place_moved(which, each); key.first != 0)
        move(each.moved, key);
}

const board_state::order& board_state::order_of(period_id in) {
  if (const auto* kept = bring_forward(orders_, [in](const order& each) { return each.in == in; }))
    return *kept;
  order fresh{in, {}, {}};
  for (const auto& [id, each] : all_) {
    if (!each.core)
      continue;
    if (!each.core->archived)
      fresh.active.push_back(place_in(each, in));
    else if (each.core->show_archived)
      fresh.archived.push_back(place_in(each, in));
  }
  looked_at_ += all_.size();
  std::sort(fresh.active.begin(), fresh.active.end());
  std::sort(fresh.archived.begin(), fresh.archived.end());
  if (orders_.size() >= orders_max)
    orders_.pop_back();
  return *orders_.insert(orders_.begin(), std::move(fresh));
}

const board_state::movement& board_state::movement_of(std::int32_t window, std::chrono::sys_days today) {
  std::erase_if(movements_, [today](const movement& each) { return each.today != today; });
  if (const auto* kept = bring_forward(movements_, [window](const movement& each) { return each.window == window; }))
    return *kept;
  movement fresh{window, today, {}};
  for (const auto& [id, each] : all_)
    if (each.core && !each.core->archived)
      if (const auto key = place_moved(each, fresh); key.first != 0)
        fresh.moved.push_back(key);
  looked_at_ += all_.size();
  std::sort(fresh.moved.begin(), fresh.moved.end());
  if (movements_.size() >= movements_max)
    movements_.pop_back();
  return *movements_.insert(movements_.begin(), std::move(fresh));
}

// -- what is asked -----------------------------------------------------------------------

std::vector<const board_state::known*> board_state::owned_by(const listing_owner& whose) const {
  std::vector<const known*> out;
  const auto add = [&](const auto& index, const auto& key) {
    const auto found = index.find(key);
    if (found == index.end())
      return;
    const auto* entry = &all_.at(found->second);
    if (std::find(out.begin(), out.end(), entry) == out.end())
      out.push_back(entry);
  };
  add(by_userkey_, whose.userkey);
  if (whose.user)
    add(by_user_, whose.user);
  return out;
}

board_state::ranking board_state::rank_alone(const std::vector<const known*>& those, const get_listings& query,
                                             period_id in, std::chrono::sys_days today) const {
  ranking out;
  out.of_somebody = true;
  std::vector<std::pair<place, core_ptr>> ranked;
  for (const auto* each : those)
    ranked.emplace_back(place_in(*each, in), each->core);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [key, core] : ranked) {
    if (!core->archived) {
      const auto number = out.total++;
      if (number >= query.slice.offset && number < query.slice.offset + std::int64_t{query.slice.limit})
        out.active.push_back(core);
      if (auto change = mover_of(all_.at(core->id), today, query.top_movers_days); change.percentage_point_change != 0)
        out.movers.push_back(std::move(change));
    } else if (core->show_archived && std::ssize(out.archived) < query.slice.limit)
      out.archived.push_back(core);
  }
  return out;
}

board_state::ranking board_state::rank(const get_listings& query, period_id in, std::chrono::sys_days today) {
  if (query.owner) {
    const auto those = owned_by(*query.owner);
    if (!those.empty() || !query.owner->user)
      return rank_alone(those, query, in, today);
  }
  ranking out;
  const auto limit = static_cast<std::size_t>(query.slice.limit);
  const auto offset = static_cast<std::size_t>(query.slice.offset);
  const auto& places = order_of(in);
  out.total = std::ssize(places.active);
  out.active.reserve(std::min(limit, places.active.size()));
  for (auto i = offset; i < std::min(offset + limit, places.active.size()); ++i)
    out.active.push_back(all_.at(places.active[i].id).core);
  for (std::size_t i = 0; i < std::min(limit, places.archived.size()); ++i)
    out.archived.push_back(all_.at(places.archived[i].id).core);
  const auto& moved = movement_of(query.top_movers_days, today).moved;
  for (std::size_t i = 0; i < std::min(limits::top_movers_most, moved.size()); ++i)
    out.movers.push_back(mover_of(all_.at(moved[i].id), today, query.top_movers_days));
  return out;
}

board_state::selection board_state::select(bool archived, const page& slice, period_id in) {
  const auto& places = archived ? order_of(in).archived : order_of(in).active;
  selection out{{}, std::ssize(places)};
  const auto offset = static_cast<std::size_t>(slice.offset);
  for (auto i = offset; i < std::min(offset + static_cast<std::size_t>(slice.limit), places.size()); ++i)
    out.page.push_back(all_.at(places[i].id).core);
  return out;
}

core_ptr board_state::find(project_id which) const {
  const auto found = all_.find(which);
  return found == all_.end() || !found->second.core || !found->second.core->user ? nullptr : found->second.core;
}

core_ptr board_state::find(const std::string& username) const {
  const auto found = by_username_.find(lower(username));
  return found == by_username_.end() ? nullptr : all_.at(found->second).core;
}

} // namespace credence::listing
