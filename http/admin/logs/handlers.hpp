#pragma once

#include "http/call/call.hpp"

/// The log, as far as it is in memory, and its level.
namespace credence::http::admin {

/// GET /admin/api/v1/logs
void get_logs(call& c);
/// GET /admin/api/v1/logs/level
void get_log_level(call& c);
/// PUT /admin/api/v1/logs/level: another one for a while
void put_log_level(call& c);
/// DELETE /admin/api/v1/logs/level: back to the configured one
void delete_log_level(call& c);

} // namespace credence::http::admin
