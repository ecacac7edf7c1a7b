#pragma once

#include "http/api/declare.hpp"
#include "http/api/vouches/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array vouch_routes{
  a_day(records("/api/v2/vouches/create", v2::post_vouch, v2::replay_post_vouch), daily_act::by_rules),
  reads("/api/v2/vouches/{id}", v2::get_vouch),
  asks("/api/v2/vouches", v2::post_vouch_query),
  reads("/api/v2/vouches/mutual-vouchers", v2::get_mutual_vouchers),
  reads("/api/v2/vouches/fees", v2::get_vouch_fees),
  asks("/api/v1/vouches", v1::post_vouch_query),
  a_day(records("/api/v2/vouches/{id}/increase", v2::post_vouch_increase, v2::replay_change_vouch),
        daily_act::record_edits),
  a_day(records("/api/v2/vouches/{id}/decrease", v2::post_vouch_decrease, v2::replay_change_vouch),
        daily_act::record_edits),
  a_day(records("/api/v2/vouches/{id}/withdraw", v2::post_vouch_withdraw, v2::replay_change_vouch),
        daily_act::record_edits),
  a_day(records("/api/v2/vouches/{id}/unhealthy", v2::post_vouch_unhealthy, v2::replay_change_vouch),
        daily_act::record_edits),
};

} // namespace credence::http::declare
