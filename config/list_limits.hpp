#pragma once

#include "config/limits.hpp"

/// Bounds of lists of records.
namespace credence::limits {

/// Rows of a list of records that are ranked and counted, and how deep its pages reach.
inline constexpr std::int32_t list_depth_max = 10'000;
/// Rows in one answer of a feed, and of the votes on an activity.
inline constexpr std::int32_t feed_limit_max = 1000;
inline constexpr std::int32_t activity_votes_limit_max = 500;
/// The same of replies, of profiles that are asked for in a body, and of changes of scores.
inline constexpr std::int32_t replies_limit_max = 500;
inline constexpr std::int32_t profiles_limit_max = 500;
inline constexpr std::int32_t score_updates_limit_max = 1000;
/// Votes each way whose weights are summed up.
inline constexpr std::int32_t votes_weighed_max = 1000;
/// Records, authors or subjects that one request may name.
inline constexpr std::size_t bulk_records_max = 100;
/// Moments of a market that one question asks for.
inline constexpr std::size_t market_moments_max = 400;
/// Markets with the most volume that are ranked by anything but volume and age.
inline constexpr std::int32_t markets_ranked_max = 200;
/// Holders of each side that are told with a market.
inline constexpr std::int32_t top_holders = 10;
/// Farcaster names in one look-up.
inline constexpr std::size_t bulk_names_max = 100;
/// A profile's newest records whose replies and votes it is notified of, how many of them each, and notifications in
/// all.
inline constexpr std::int32_t notified_records_max = 100;
inline constexpr std::int32_t notifications_max = 1000;
/// What events of a chain bring is told unless it was that old when it came in.
inline constexpr std::int32_t notified_late_days_max = 7;
/// Rows of a profile's ledger of XP that can be paged through.
inline constexpr std::int32_t ledger_depth_max = 1000;
inline constexpr std::int32_t suggested_projects_default = 5;
inline constexpr std::int32_t invitation_tree_depth = 5;
inline constexpr std::int32_t invitation_tree_max = 500;

} // namespace credence::limits
