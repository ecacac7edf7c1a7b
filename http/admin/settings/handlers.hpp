#pragma once

#include "http/call/call.hpp"

/// What the server was started with.
namespace credence::http::admin {

/// GET /admin/api/v1/settings
void get_settings(call& c);

} // namespace credence::http::admin
