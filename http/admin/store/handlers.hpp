#pragma once

#include "http/call/call.hpp"

/// The database and its writer.
namespace credence::http::admin {

/// GET /admin/api/v1/store
void get_store(call& c);
/// PUT /admin/api/v1/store/intake: pauses or resumes the intake of writes
void put_intake(call& c);
/// POST /admin/api/v1/store/verifications
void post_verification(call& c);
/// GET and DELETE /admin/api/v1/store/verifications/latest: the one that runs, or the last one
void get_verification(call& c);
void delete_verification(call& c);

} // namespace credence::http::admin
