#pragma once

#include "http/call/call.hpp"

/// The event stream.
namespace credence::http::admin {

/// GET /admin/api/v1/events
void get_events(call& c);

} // namespace credence::http::admin
