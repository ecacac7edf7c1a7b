#pragma once

#include "http/call.hpp"

/// Handlers of the legacy v1 interface. Answers are `{ok: true, data}`; who may call stands in
/// http/routes.cpp.
namespace credence::http::v1 {

/// GET /api/v1/slashes
void get_slashes(call& c);
/// GET /api/v1/slashes/{id}/roles
void get_slash_roles(call& c);

} // namespace credence::http::v1
