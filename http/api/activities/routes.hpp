#pragma once

#include "http/api/activities/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

/// A POST that asks for what is the caller's own.
constexpr route of_caller(route route) {
  route.who = access::bearer;
  return route;
}

inline constexpr std::array activity_routes{
  reads_by_caller("/api/v2/activities/userkey", v2::get_activities_of_userkey),
  reads_by_caller("/api/v2/activities/{type}/{id}", v2::get_activity_of_type),
  asks_by_caller("/api/v2/activities/profile/all", v2::post_activities_all),
  asks_by_caller("/api/v2/activities/profile/given", v2::post_activities_given),
  asks_by_caller("/api/v2/activities/profile/received", v2::post_activities_received),
  asks_by_caller("/api/v2/activities/feed", v2::post_activity_feed),
  asks_by_caller("/api/v2/activities/bulk", v2::post_activities_bulk),
  asks_by_caller("/api/v2/activities/project", v2::post_activities_of_project),
  of_caller(asks("/api/v2/activities/notifications", v2::post_activities_of_caller)),
  reads("/api/v2/activities/{type}/tx/{hash}", v2::get_activity_of_transaction),
};

} // namespace credence::http::declare
