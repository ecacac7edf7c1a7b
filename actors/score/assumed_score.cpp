#include "actors/score/assumed_score.hpp"

#include "actors/score/score_changes.hpp"

#include <algorithm>

namespace credence::score {

score_inputs with_assumed(score_inputs inputs, const assumed_records& records, day on) {
  for (const auto& each : records.reviews)
    apply(inputs, review_counted{direction::in, each.how, each.author_score});
  if (records.ether > 0)
    apply(inputs, vouch_part_counted{direction::in, {records.ether, on - records.vouched}, on});
  inputs.vouchers += records.vouchers;
  inputs.votes_up += records.votes_up;
  inputs.votes_down += records.votes_down;
  if (records.slashed > 0) // slashes have ids from 0 on
    apply(inputs, penalty_counted{direction::in,
                                  {slash_id{-1}, penalty_reason::subject,
                                   static_cast<std::int32_t>(std::min<std::int64_t>(records.slashed, score_max))}});
  return inputs;
}

} // namespace credence::score
