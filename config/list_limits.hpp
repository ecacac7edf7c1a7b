#pragma once

#include "config/limits.hpp"

/// Bounds of lists of records.
namespace credence::limits {

/// Rows of a list of records that are ranked and counted, and how deep its pages reach.
inline constexpr std::int32_t list_depth_max = 10'000;
/// Rows in one answer of a feed, and of the votes on an activity.
inline constexpr std::int32_t feed_limit_max = 1000;
inline constexpr std::int32_t activity_votes_limit_max = 500;
/// Votes each way whose weights are summed up.
inline constexpr std::int32_t votes_weighed_max = 1000;
/// Records, authors or subjects that one request may name.
inline constexpr std::size_t bulk_records_max = 100;
inline constexpr std::int32_t invitation_tree_depth = 5;
inline constexpr std::int32_t invitation_tree_max = 500;

} // namespace credence::limits
