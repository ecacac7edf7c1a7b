#pragma once

#include "http/call/call.hpp"

/// Signing in at the console and out again.
namespace credence::http::admin {

/// GET /admin/api/v1/sign-in: what a wallet has to sign
void get_sign_in(call& c);
/// POST /admin/api/v1/sign-in: by a signed message
void post_sign_in(call& c);
/// POST /admin/api/v1/sign-in/link: by a link
void post_sign_in_link(call& c);
/// GET /admin/api/v1/session: who is signed in
void get_session(call& c);
/// DELETE /admin/api/v1/session: signs out
void delete_session(call& c);

} // namespace credence::http::admin
