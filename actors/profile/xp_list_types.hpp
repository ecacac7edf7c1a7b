#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/profile/xp_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Seasons of XP, and what the ledger says of one profile.
namespace credence::profile {

/// A season lasts from midnight UTC of its first day until the next one begins; the newest goes on. Its weeks are of
/// seven days, counted from 1; the last one is cut off where the next season begins.
struct xp_season {
  std::int32_t id = 0;
  std::string name;
  timestamp starts{};
  std::optional<timestamp> ends = {}; // when the next one starts
};
/// All seasons, the earliest first.
struct get_xp_seasons {
  using answer_type = std::vector<xp_season>;
};

/// Points of one week of a season: what was earned less what was spent. Tips are neither.
struct xp_week {
  std::int32_t week = 0;
  std::int64_t points = 0;
};
struct season_points {
  std::optional<xp_season> season; // null: there is none of this id
  std::vector<xp_week> weeks;      // those in which anything moved, the earliest first
};
/// What a profile has earned in a season; of nobody the season alone.
struct get_season_points {
  using answer_type = season_points;
  std::optional<profile_id> who;
  std::int32_t season = 0;
};

/// A row of the ledger, as one of its two sides sees it.
struct ledger_row {
  std::int64_t id = 0;
  std::string type;                // as the ledger calls it; who gets a tip sees XP_TIP_RECEIVED
  std::int64_t points = 0;         // below zero where they went away
  std::optional<profile_id> other; // who is on the other side; null: the service
  std::optional<std::string> message;
  std::optional<tip_source> source;
  timestamp at{};
  std::optional<std::int32_t> season; // null: before the first one
  std::int32_t week = 0;              // 0: of no season
};
struct ledger_page {
  std::vector<ledger_row> values; // newest first
  std::int64_t total = 0;         // at most `limits::ledger_depth_max`
  page slice;
};
struct list_ledger {
  using answer_type = ledger_page;
  profile_id who;
  page slice;
};

} // namespace credence::profile
