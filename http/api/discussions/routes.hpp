#pragma once

#include "http/api/declare.hpp"
#include "http/api/discussions/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array discussion_routes{
  records("/api/v2/replies/create", v2::post_reply, v2::again_post_reply),
  reads("/api/v2/replies/{id}", v2::get_reply),
  edits_record("/api/v2/replies/{id}", v2::patch_reply, v2::again_patch_reply),
  puts_record("/api/v2/votes", scope::vote, v2::put_vote, v2::again_put_vote),
};

} // namespace credence::http::declare
