#pragma once

#include "http/call/call.hpp"

/// Votes that go together.
namespace credence::http::admin {

/// GET /admin/api/v1/integrity: what the last analysis has found, and how far one is that runs
void get_integrity(call& c);
/// POST /admin/api/v1/integrity: starts one
void post_integrity(call& c);
/// DELETE /admin/api/v1/integrity: stops it
void delete_integrity(call& c);

} // namespace credence::http::admin
