#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Handlers of sessions. Who may call them stands in routes.hpp;
/// those called `replay_…` answer a request whose effect is there but was
/// never answered.
namespace credence::http::v2 {

/// POST /api/v2/auth/exchange: an access token for a session's cookies
void post_exchange(call& c);
void replay_post_exchange(call& c, const idempotency::found_record& done);
/// POST /api/v2/auth/refresh: new cookies for the refresh cookie
void post_refresh(call& c);
/// POST /api/v2/auth/logout
void post_logout(call& c);
/// GET /api/v2/auth/nonce; with `address`, tells that with the checksum that a message must have
void get_nonce(call& c);
/// POST /api/v2/auth/login: a signed message for an access token and cookies
void post_login(call& c);

/// GET /api/v2/auth/sessions
void get_sessions(call& c);
/// DELETE /api/v2/auth/sessions/{id}
void delete_session(call& c);
/// DELETE /api/v2/auth/sessions: all but the one that asks
void delete_other_sessions(call& c);
void replay_delete_session(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
