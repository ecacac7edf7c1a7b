#pragma once

#include "http/call/call.hpp"

/// What there is to read about the service: the description of the admin API, and the manual for operators.
namespace credence::http::admin {

/// GET /admin/api/v1/openapi.json
void get_reference(call& c);
/// GET /admin/api/v1/manual: docs/operating.md of this version, as Markdown
void get_manual(call& c);

} // namespace credence::http::admin
