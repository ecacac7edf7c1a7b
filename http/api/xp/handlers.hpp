#pragma once

#include "http/call/call.hpp"

/// XP by season, ledgers, ranks.
namespace credence::http::v2 {

/// GET /api/v2/xp/seasons: `{seasons: [{id, name, startDate}], currentSeason: {id, name, startDate, week}}`
void get_xp_seasons(call& c);
/// GET /api/v2/xp/season/{seasonId}/weeks: `[{week, startDate, endDate}]`
void get_xp_season_weeks(call& c);
/// GET /api/v2/xp/user/{userkey}/season/{seasonId}: a bare number; 0 for anybody unknown.
void get_xp_of_season(call& c);
/// GET /api/v2/xp/user/{userkey}/season/{seasonId}/weekly: `[{week, weeklyXp, cumulativeXp}]`
void get_xp_by_week(call& c);
/// GET /api/v2/xp/user/{userkey}/leaderboard-rank: a bare number, counted from 0.
void get_xp_rank(call& c);
/// GET /api/v2/xp/history: the ledger of whom `userkey` names, or of the caller.
void get_xp_history(call& c);

} // namespace credence::http::v2
