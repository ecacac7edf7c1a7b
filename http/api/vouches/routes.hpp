#pragma once

#include "http/api/declare.hpp"
#include "http/api/vouches/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array vouch_routes{
  records("/api/v2/vouches/create", v2::post_vouch, v2::replay_post_vouch),
  reads("/api/v2/vouches/{id}", v2::get_vouch),
  asks("/api/v2/vouches", v2::post_vouch_query),
  reads("/api/v2/vouches/mutual-vouchers", v2::get_mutual_vouchers),
  reads("/api/v2/vouches/fees", v2::get_vouch_fees),
  asks("/api/v1/vouches", v1::post_vouch_query),
  records("/api/v2/vouches/{id}/increase", v2::post_vouch_increase, v2::replay_change_vouch),
  records("/api/v2/vouches/{id}/decrease", v2::post_vouch_decrease, v2::replay_change_vouch),
  records("/api/v2/vouches/{id}/withdraw", v2::post_vouch_withdraw, v2::replay_change_vouch),
  records("/api/v2/vouches/{id}/unhealthy", v2::post_vouch_unhealthy, v2::replay_change_vouch),
};

} // namespace credence::http::declare
