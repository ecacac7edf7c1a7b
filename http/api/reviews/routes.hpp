#pragma once

#include "http/api/declare.hpp"
#include "http/api/reviews/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array review_routes{
  a_day(records("/api/v2/reviews/create", v2::post_review, v2::replay_post_review), daily_act::by_rules),
  reads("/api/v2/reviews/{id}", v2::get_review),
  reads("/api/v2/reviews/latest/between", v2::get_latest_between),
  reads("/api/v2/reviews/count/between", v2::get_count_between),
  a_day(edits_record("/api/v2/reviews/{id}", v2::patch_review, v2::replay_change_review), daily_act::record_edits),
  a_day(records("/api/v2/reviews/{id}/archive", v2::post_review_archive, v2::replay_change_review),
        daily_act::record_edits),
  a_day(records("/api/v2/reviews/{id}/restore", v2::post_review_restore, v2::replay_change_review),
        daily_act::record_edits),
};

} // namespace credence::http::declare
