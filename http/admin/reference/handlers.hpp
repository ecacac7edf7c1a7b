#pragma once

#include "http/call/call.hpp"

/// The description of the admin API.
namespace credence::http::admin {

/// GET /admin/api/v1/openapi.json
void get_reference(call& c);

} // namespace credence::http::admin
