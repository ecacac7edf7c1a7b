#pragma once

#include "http/call/call.hpp"

namespace credence::http::v2 {

/// GET /api/v2/healthcheck
void get_healthcheck(call& c);
/// GET /api/v2/healthcheck/authenticated: who calls.
void get_healthcheck_authenticated(call& c);
/// GET /api/v2/healthcheck/always-fail: 418, so that clients can try what they do with an error.
void get_healthcheck_always_fail(call& c);

} // namespace credence::http::v2
