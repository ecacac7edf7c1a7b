#pragma once

#include "http/api/declare.hpp"
#include "http/api/discussions/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array discussion_routes{
  a_day(records("/api/v2/replies/create", v2::post_reply, v2::replay_post_reply), daily_act::replies),
  reads("/api/v2/replies/{idOrContractType}", v2::get_reply),
  reads("/api/v2/replies/by-id", v2::get_replies_by_id),
  reads("/api/v2/replies/{idOrContractType}/{parentId}", v2::get_replies_to),
  a_day(edits_record("/api/v2/replies/{idOrContractType}", v2::patch_reply, v2::replay_patch_reply),
        daily_act::record_edits),
  a_day(puts_record("/api/v2/votes", scope::vote, v2::put_vote, v2::replay_put_vote), daily_act::activity_votes),
  a_day(
    by_query(deletes_record("/api/v2/votes", scope::vote, v2::delete_vote, v2::replay_delete_vote), "type,activityId"),
    daily_act::activity_votes),
  reads("/api/v2/votes", v2::get_votes_on),
  reads_by_caller("/api/v2/votes/stats", v2::get_vote_stats),
  asks_by_caller("/api/v2/votes/stats", v2::post_vote_stats),
};

} // namespace credence::http::declare
