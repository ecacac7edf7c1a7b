#pragma once

#include "http/api/broker/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array broker_routes{
  reads("/api/v2/broker/posts", v2::get_broker_posts),
  reads("/api/v2/broker/posts/{id}", v2::get_broker_post),
};

} // namespace credence::http::declare
