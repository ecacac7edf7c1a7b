#pragma once

#include "http/call/call.hpp"

namespace credence::http::v2 {

/// GET /api/v2/healthcheck
void get_healthcheck(call& c);

} // namespace credence::http::v2
