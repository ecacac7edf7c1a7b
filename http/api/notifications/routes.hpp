#pragma once

#include "http/api/declare.hpp"
#include "http/api/notifications/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array notification_routes{
  reads_own("/api/v2/notifications/me", v2::get_notifications),
  reads_own("/api/v2/notifications/stats/me", v2::get_notification_stats),
  a_day(writes("/api/v2/notifications/me/mark-as-read", scope::record, v2::post_notifications_read,
               v2::replay_post_notifications_read),
        daily_act::by_rules),
};

} // namespace credence::http::declare
