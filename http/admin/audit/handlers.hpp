#pragma once

#include "http/call/call.hpp"

/// Who did what.
namespace credence::http::admin {

/// GET /admin/api/v1/audit
void get_audit(call& c);

} // namespace credence::http::admin
