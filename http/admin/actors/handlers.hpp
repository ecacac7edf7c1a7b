#pragma once

#include "http/call/call.hpp"

/// What is in memory.
namespace credence::http::admin {

/// GET /admin/api/v1/actors: every kind with its figures
void get_actors(call& c);
/// GET /admin/api/v1/actors/busiest
void get_busiest_actors(call& c);
/// GET /admin/api/v1/actors/{key}
void get_actor(call& c);
/// POST /admin/api/v1/actors/{key}/reload and …/stop
void post_actor_reload(call& c);
void post_actor_stop(call& c);

} // namespace credence::http::admin
