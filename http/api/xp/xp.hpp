#pragma once

#include "actors/profile/xp_types.hpp"
#include "http/call/json_writer.hpp"

#include <vector>

namespace credence::http {

// Seasons and ledgers of XP as JSON (docs/api/xp.md).

/// A season as of `now`: weeks are seven days, counted from 1.
struct season_weeks {
  profile::xp_season season;
  timestamp now{};
};
/// Weeks of a season that have begun; 0 before it starts. The last one ends with the season.
std::int32_t weeks_begun(const season_weeks& in);

/// `{seasons: [{id, name, startDate}], currentSeason: {id, name, startDate, week} | null}`
void encode_seasons(json_writer& to, const std::vector<profile::xp_season>& all, timestamp now);
/// `[{week, startDate, endDate}]`: the weeks that have begun; each ends when the next one begins.
void encode(json_writer& to, const season_weeks& weeks);
/// `[{week, weeklyXp, cumulativeXp}]`: the weeks that have begun.
void encode_weekly(json_writer& to, const season_weeks& in, const std::vector<profile::xp_week>& weeks);
/// A page of `{id, type, points, metadata: {profileId?, message?, source?}, createdAt, week, xpSeasonId}`.
void encode(json_writer& to, const profile::ledger_page& page);

} // namespace credence::http
