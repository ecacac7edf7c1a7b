#include "actors/listing/board_state.hpp"

#include "actors/project/tallies.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace credence::listing {

namespace {

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

struct rank_key {
  std::int64_t lead = 0; // bullish minus bearish
  std::int64_t votes = 0;
};

rank_key key_in(const std::vector<project::day_tally>& days, period_id in) {
  rank_key key;
  for (const auto& tally : days)
    if (tally.in == in) {
      key.lead += tally.bullish - tally.bearish;
      key.votes += tally.bullish + tally.bearish;
    }
  return key;
}

bool matches(const listing_core& core, const std::optional<std::string>& userkey) {
  if (!userkey)
    return true;
  const auto& keys = core.user->userkeys;
  return core.userkey == *userkey || std::find(keys.begin(), keys.end(), *userkey) != keys.end();
}

} // namespace

void board_state::load(const stored_listings& stored) {
  cores_.clear();
  by_username_.clear();
  behind_.clear();
  for (const auto& each : stored.listings) {
    const auto id = each.core->id;
    cores_[id] = each.core;
    if (each.core->user->username)
      by_username_[lower(*each.core->user->username)] = id;
    auto& known = tallies_[id];
    if (each.tallied_through >= known.through)
      known = {each.tallied_through, each.days};
    if (known.through < each.last_vote)
      behind_.push_back(id);
  }
}

void board_state::report(const tally_report& report) {
  auto& known = tallies_[report.project];
  if (report.through < known.through)
    return;
  known.through = report.through;
  for (const auto& fresh : report.days) {
    const auto same = std::find_if(known.days.rbegin(), known.days.rend(), [&](const auto& have) {
      return have.in == fresh.in && have.day == fresh.day;
    });
    if (same != known.days.rend())
      *same = fresh;
    else
      known.days.push_back(fresh);
  }
}

board_state::ranking board_state::rank(const get_listings& asked, period_id in,
                                       std::chrono::sys_days today) const {
  struct ranked {
    rank_key key;
    core_ptr core;
    bool operator<(const ranked& other) const {
      return std::tuple{-key.lead, -key.votes, core->id} < std::tuple{-other.key.lead, -other.key.votes,
                                                                      other.core->id};
    }
  };
  static const std::vector<project::day_tally> no_days;
  ranking out;
  std::vector<ranked> active;
  std::vector<ranked> archived;
  for (const auto& [id, core] : cores_) {
    if (!matches(*core, asked.userkey))
      continue;
    const auto known = tallies_.find(id);
    const auto& days = known == tallies_.end() ? no_days : known->second.days;
    if (core->archived) {
      if (core->show_archived)
        archived.push_back({key_in(days, in), core});
      continue;
    }
    active.push_back({key_in(days, in), core});
    if (const auto change = project::share_change(days, today, asked.top_movers_days); change != 0)
      out.movers.push_back({core, change});
  }
  std::sort(active.begin(), active.end());
  std::sort(archived.begin(), archived.end());
  std::sort(out.movers.begin(), out.movers.end(), [](const mover& a, const mover& b) {
    return std::tuple{-std::abs(a.percentage_point_change), a.core->id}
           < std::tuple{-std::abs(b.percentage_point_change), b.core->id};
  });
  if (out.movers.size() > limits::top_movers_most)
    out.movers.resize(limits::top_movers_most);
  out.total = static_cast<std::int64_t>(active.size());
  const auto limit = static_cast<std::size_t>(asked.slice.limit);
  const auto offset = static_cast<std::size_t>(asked.slice.offset);
  for (auto i = std::min(offset, active.size()); i < std::min(offset + limit, active.size()); ++i)
    out.active.push_back(active[i].core);
  for (std::size_t i = 0; i < std::min(limit, archived.size()); ++i)
    out.archived.push_back(archived[i].core);
  return out;
}

core_ptr board_state::find(const std::string& username) const {
  const auto found = by_username_.find(lower(username));
  return found == by_username_.end() ? nullptr : cores_.at(found->second);
}

} // namespace credence::listing
