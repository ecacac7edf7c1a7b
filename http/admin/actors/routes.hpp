#pragma once

#include "http/admin/actors/handlers.hpp"
#include "http/admin/declare.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array actor_routes{
  viewer_watches("/admin/api/v1/actors", get_actors, "actors"),
  viewer_reads("/admin/api/v1/actors/busiest", get_busiest_actors),
  viewer_watches("/admin/api/v1/actors/{key}", get_actor, "actor:{key}"),
  operator_writes("/admin/api/v1/actors/{key}/reload", post_actor_reload),
  operator_writes("/admin/api/v1/actors/{key}/stop", post_actor_stop),
};

} // namespace credence::http::admin::declare
