#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Replies to activities and votes on them. With `dryRun=true` a write is decided and answered without effect.
namespace credence::http::v2 {

/// POST /api/v2/replies/create: `{type, id, parentId?, content, metadata?}`
void post_reply(call& c);
void replay_post_reply(call& c, const idempotency::found_record& done);
/// GET /api/v2/replies/{idOrContractType}
void get_reply(call& c);
/// PATCH /api/v2/replies/{idOrContractType}: `{content?, metadata?}`
void patch_reply(call& c);
void replay_patch_reply(call& c, const idempotency::found_record&);
/// PUT /api/v2/votes: `{type, id, isUpvote}`
void put_vote(call& c);
void replay_put_vote(call& c, const idempotency::found_record&);
/// DELETE /api/v2/votes: `type`, `activityId`
void delete_vote(call& c);
void replay_delete_vote(call& c, const idempotency::found_record&);

/// GET /api/v2/replies/{idOrContractType}/{parentId}: the replies to an activity.
void get_replies_to(call& c);
/// GET /api/v2/replies/by-id: `ids`
void get_replies_by_id(call& c);
/// GET /api/v2/votes: the votes on an activity.
void get_votes_on(call& c);
/// GET /api/v2/votes/stats, and POST for many: `{review: [id, …], …}`. They show a caller's own vote.
void get_vote_stats(call& c);
void post_vote_stats(call& c);

} // namespace credence::http::v2
