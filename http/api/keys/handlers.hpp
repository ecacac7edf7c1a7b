#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Handlers of API keys. Who may call them stands in routes.hpp;
/// those called `replay_…` answer a request whose effect is there but was
/// never answered.
namespace credence::http::v2 {

/// POST /api/v2/api-keys
void post_api_key(call& c);
/// GET /api/v2/api-keys
void get_api_keys(call& c);
/// DELETE /api/v2/api-keys/{id}
void delete_api_key(call& c);
void replay_delete_api_key(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
