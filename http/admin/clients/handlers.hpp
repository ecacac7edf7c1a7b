#pragma once

#include "http/call/call.hpp"

/// Who calls the service, and the keys by which they do.
namespace credence::http::admin {

/// GET /admin/api/v1/clients: requests by client
void get_clients(call& c);
/// GET /admin/api/v1/clients/deprecated: who still calls what goes away
void get_deprecated_calls(call& c);
/// GET /admin/api/v1/clients/budgets: the rates of callers, and how often they were exceeded
void get_budgets(call& c);
/// GET /admin/api/v1/keys: API keys in force
void get_keys(call& c);
/// DELETE /admin/api/v1/profiles/{profileId}/keys/{keyId}: revokes one
void delete_key(call& c);

} // namespace credence::http::admin
