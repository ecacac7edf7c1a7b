#pragma once

#include "http/api/declare.hpp"
#include "http/api/reviews/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array review_routes{
  records("/api/v2/reviews/create", v2::post_review, v2::replay_post_review),
  reads("/api/v2/reviews/{id}", v2::get_review),
  reads("/api/v2/reviews/latest/between", v2::get_latest_between),
  reads("/api/v2/reviews/count/between", v2::get_count_between),
  edits_record("/api/v2/reviews/{id}", v2::patch_review, v2::replay_change_review),
  records("/api/v2/reviews/{id}/archive", v2::post_review_archive, v2::replay_change_review),
  records("/api/v2/reviews/{id}/restore", v2::post_review_restore, v2::replay_change_review),
};

} // namespace credence::http::declare
