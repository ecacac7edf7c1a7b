#pragma once

#include "http/call/call.hpp"

/// Posts of the broker, which a chain's events make.
namespace credence::http::v2 {

/// GET /api/v2/broker/posts, with `authorProfileId` and `level`
void get_broker_posts(call& c);
/// GET /api/v2/broker/posts/{id}
void get_broker_post(call& c);

} // namespace credence::http::v2
