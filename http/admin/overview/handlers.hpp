#pragma once

#include "http/call/call.hpp"

/// How the server is.
namespace credence::http::admin {

/// GET /admin/api/v1/overview
void get_overview(call& c);
/// GET /admin/api/v1/overview/history: the last five minutes
void get_overview_history(call& c);

} // namespace credence::http::admin
