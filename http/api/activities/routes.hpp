#pragma once

#include "http/api/activities/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array activity_routes{
  reads_by_caller("/api/v2/activities/userkey", v2::get_activities_of_userkey),
  reads_by_caller("/api/v2/activities/{type}/{id}", v2::get_activity_of_type),
  asks_by_caller("/api/v2/activities/profile/all", v2::post_activities_all),
  asks_by_caller("/api/v2/activities/profile/given", v2::post_activities_given),
  asks_by_caller("/api/v2/activities/profile/received", v2::post_activities_received),
  asks_by_caller("/api/v2/activities/feed", v2::post_activity_feed),
  asks_by_caller("/api/v2/activities/bulk", v2::post_activities_bulk),
};

} // namespace credence::http::declare
