#pragma once

#include "actors/profile/credential_types.hpp"
#include "auth/access_token.hpp"
#include "http/call/call.hpp"

#include <optional>
#include <string>

/// The cookies that hold sessions: those of our own pages, and those of each partner's pages.
namespace credence::http {

/// By which cookies and tokens sessions of one kind go.
struct session_kit {
  std::string access_name, access_path;
  std::string refresh_name, refresh_path;
  std::string attributes;
  auth::token_kind access = auth::token_kind::session;
  auth::token_kind refresh = auth::token_kind::refresh;
  std::string partner; // the origin of the partner; empty: our own pages
};

/// Of our own pages.
session_kit own_kit(const call& c);
/// Of the page that asks, which is a partner's.
session_kit partner_kit(const call& c);
/// Of the page that asks: a partner's unless it is one of our own.
session_kit kit_of_page(const call& c);

/// A token of a session, signed.
std::string session_token(const call& c, auth::token_kind kind, profile_id who, const std::string& session,
                          timestamp until);

void set_access_cookie(call& c, const session_kit& kit, const profile::credential_slot& session);
void set_refresh_cookie(call& c, const session_kit& kit, const std::string& token, timestamp session_ends);
void clear_cookies(call& c, const session_kit& kit);

/// Opens a session for a profile and sets its cookies; `reply` answers. What it answers is told once and not kept.
void open_session(call& c, profile::open_session question, const session_kit& kit, profile_id who,
                  void (*reply)(call&, const profile::credential_slot&));

/// A refresh token that came as a cookie, as far as its signature tells.
struct shown_refresh {
  std::string token;
  auth::verified_token says;
};
/// Nothing where there is none, or none that is good.
std::optional<shown_refresh> refresh_in_cookies(const call& c, const session_kit& kit);

/// Trades a refresh token for new cookies, then `done` answers; `over` answers where the session has ended, after the
/// cookies have been cleared.
void refresh_cookies(call& c, const session_kit& kit, const shown_refresh& shown, void (*done)(call&, profile_id),
                     void (*over)(call&));

/// The session that the page which asks shows, if any, as far as signatures tell.
std::optional<auth::verified_token> session_in_cookies(const call& c, const session_kit& kit);

} // namespace credence::http
