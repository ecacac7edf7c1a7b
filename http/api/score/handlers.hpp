#pragma once

#include "http/call/call.hpp"

/// How scores come about. Who may call stands in routes.hpp. Of a userkey that leads to nobody they tell what the score
/// of everybody unknown is: 1200, without elements or history.
namespace credence::http::v1 {

/// GET /api/v1/score/{userkey}: the breakdown.
void get_score_breakdown(call& c);
/// GET /api/v1/score/address, /score/userkey: `{score, level}`
void get_score_of_address(call& c);
void get_score_of_userkey(call& c);
/// GET /api/v1/score/{userkey}/history: a page of `{id, score, target, createdAt}`
void get_score_history(call& c);
/// POST /api/v1/score/bulk: `{userkeys}`; by each key as it was given.
void post_scores(call& c);
/// POST /api/v1/score/simulate: the breakdown that somebody would have with records that nobody has written.
void post_score_simulation(call& c);

} // namespace credence::http::v1

namespace credence::http::v2 {

/// GET /api/v2/score/breakdown
void get_score_breakdown(call& c);
/// GET /api/v2/score/status
void get_score_status(call& c);
/// GET /api/v2/score/history
void get_score_history(call& c);
/// GET /api/v2/score/updates
void get_score_updates(call& c);

} // namespace credence::http::v2
