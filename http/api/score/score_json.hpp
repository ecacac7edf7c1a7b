#pragma once

#include "actors/score/score_work.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// `{score, elements: {<name>: {element, raw, weighted, points, error}}, metadata, errors}`, as public clients of v1
/// read it, with `points` besides. `element` holds `name`, `type`, `ranges` and `outOfRangeScore` (LookupInterval) or
/// `range` (LookupNumber), and `metadata`: what the element was made of. `raw` and `weighted` are numbers, cut off
/// after twelve digits behind the point; `metadata.startingScore` and all `points` are the score. The element `Score
/// Limits` is there only when a bound of the score changed the sum. `error` is false and `errors` empty: nothing
/// outside is asked for a score.
void encode(json_writer& to, const score::breakdown& breakdown);
/// `{status, isQueued, isCalculating, isPending}`
void encode(json_writer& to, score::progress progress);
/// `[{date, score, day, cause, points: {<name>: number}}]`; elements without points are left out.
void encode(json_writer& to, const score::score_history& history);
/// `{userkey, lastUpdatedAt}`
void encode(json_writer& to, const score::score_update& update);

} // namespace credence::http
