#pragma once

#include "actors/domain/time.hpp"
#include "actors/score/score_work.hpp"
#include "http/call/json_writer.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace credence::http {

/// How far back a history of scores goes, as clients name it; some call half a year `6m`.
inline constexpr std::array<std::string_view, 8> duration_names{"1d", "7d", "30d", "90d", "180d", "6m", "1y", "all"};

/// When the one at this place begins.
inline timestamp start_of(std::size_t duration, timestamp now) {
  constexpr std::array<std::int32_t, 7> days{1, 7, 30, 90, 180, 180, 365}; // but for `all`
  return duration < days.size() ? now - std::chrono::days{days[duration]} : timestamp{};
}

/// `{score, elements: {<name>: {element, raw, weighted, points, error}}, metadata, errors}`, as public clients of v1
/// read it, with `points` besides. `element` holds `name`, `type`, `ranges` and `outOfRangeScore` (LookupInterval) or
/// `range` (LookupNumber), and `metadata`: what the element was made of. `raw` and `weighted` are numbers, cut off
/// after twelve digits behind the point; `metadata.startingScore` and all `points` are the score. The element `Score
/// Limits` is there only when a bound of the score changed the sum. `error` is false and `errors` empty: nothing
/// outside is asked for a score.
void encode_members(json_writer& to, const score::breakdown& breakdown);
/// `{status, isQueued, isCalculating, isPending}`
void encode_members(json_writer& to, score::progress progress);
/// `[{date, score, day, cause, points: {<name>: number}}]`; elements without points are left out.
void encode(json_writer& to, const score::score_history& history);
/// `{userkey, lastUpdatedAt}`
void encode_members(json_writer& to, const score::score_update& update);

} // namespace credence::http
