#include "http/api/sessions/session_cookies.hpp"

#include "actors/profile/profile_actor.hpp"
#include "auth/digest.hpp"
#include "http/call/identity.hpp"
#include "http/call/request_head.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace credence::http {

namespace {

constexpr std::string_view everywhere = "/";

std::chrono::sys_seconds in_seconds(timestamp at) { return std::chrono::floor<std::chrono::seconds>(at); }

void set_cookie(call& c, const session_kit& kit, std::string_view name, std::string_view value, std::string_view path,
                std::int64_t seconds) {
  std::string field{"Set-Cookie: "};
  field.append(name).append("=").append(value).append("; Path=").append(path);
  field.append("; Max-Age=").append(std::to_string(seconds)).append(kit.attributes);
  c.add_header(field);
}

std::int64_t seconds_until(const call& c, timestamp until) {
  return std::chrono::ceil<std::chrono::seconds>(until - c.now()).count();
}

} // namespace

session_kit own_kit(const call& c) {
  const auto& with = c.identity();
  return {with.access_cookie,     std::string{everywhere},   with.refresh_cookie,       with.refresh_path,
          with.cookie_attributes, auth::token_kind::session, auth::token_kind::refresh, {}};
}

session_kit partner_kit(const call& c) {
  const auto& with = c.identity().partners;
  const auto origin = c.head().origin;
  return {partner_cookie_name(with, partner_access_cookie, origin),
          std::string{everywhere},
          partner_cookie_name(with, partner_refresh_cookie, origin),
          with.refresh_path,
          "; HttpOnly; Secure; SameSite=None; Partitioned",
          auth::token_kind::partner,
          auth::token_kind::partner_refresh,
          std::string{origin}};
}

session_kit kit_of_page(const call& c) {
  return c.by_partner_page() && !c.origin_allowed() ? partner_kit(c) : own_kit(c);
}

std::string session_token(const call& c, auth::token_kind kind, profile_id who, const std::string& session,
                          timestamp until) {
  auth::token_claims claims;
  claims.kind = kind;
  claims.profile = who;
  claims.id = session;
  claims.issued_at = in_seconds(c.now());
  claims.expires_at = in_seconds(until);
  if (kind == auth::token_kind::refresh || kind == auth::token_kind::partner_refresh)
    claims.unique = auth::random_hex(16);
  return auth::mint_token(c.identity().tokens, claims);
}

void set_access_cookie(call& c, const session_kit& kit, const profile::credential_slot& session) {
  const auto until = std::min(c.now() + c.identity().session_step, session.expires_at());
  set_cookie(c, kit, kit.access_name, session_token(c, kit.access, session.owner(), session.id(), until),
             kit.access_path, seconds_until(c, until));
}

void set_refresh_cookie(call& c, const session_kit& kit, const std::string& token, timestamp session_ends) {
  set_cookie(c, kit, kit.refresh_name, token, kit.refresh_path, seconds_until(c, session_ends));
}

void clear_cookies(call& c, const session_kit& kit) {
  set_cookie(c, kit, kit.access_name, "", kit.access_path, 0);
  set_cookie(c, kit, kit.refresh_name, "", kit.refresh_path, 0);
}

void open_session(call& c, profile::open_session question, const session_kit& kit, profile_id who,
                  void (*reply)(call&, const profile::credential_slot&)) {
  auto& fresh = question.opened;
  fresh.id = auth::random_uuid();
  fresh.profile = who;
  fresh.partner = kit.partner;
  fresh.created_at = fresh.rotated_at = c.now();
  fresh.expires_at = c.now() + c.identity().session_lifetime;
  auto refresh_token = session_token(c, kit.refresh, who, fresh.id, fresh.expires_at);
  fresh.refresh_hash = auth::sha256(refresh_token);
  c.ask(c.to().profiles, std::move(question),
        [refresh_token = std::move(refresh_token), kit, reply](call& later,
                                                               std::shared_ptr<profile::credential_slot>& slot) {
          later.drop_context();
          set_access_cookie(later, kit, *slot);
          set_refresh_cookie(later, kit, refresh_token, slot->expires_at());
          reply(later, *slot);
        });
}

std::optional<shown_refresh> refresh_in_cookies(const call& c, const session_kit& kit) {
  const auto token = cookie_value(c.head().cookie, kit.refresh_name);
  if (token.empty())
    return std::nullopt;
  const auto says = auth::verify_token(c.identity().tokens, token, kit.refresh, in_seconds(c.now()));
  return says ? std::optional{shown_refresh{std::string{token}, *says}} : std::nullopt;
}

void refresh_cookies(call& c, const session_kit& kit, const shown_refresh& shown, void (*done)(call&, profile_id),
                     void (*over)(call&)) {
  const auto& says = shown.says;
  auto fresh = session_token(c, kit.refresh, says.profile, says.id, timestamp{says.expires_at});
  profile::refresh_session question{says.profile, says.id, auth::sha256(shown.token), auth::sha256(fresh), kit.partner};
  c.ask(
    c.to().profiles, std::move(question),
    [kit, done, fresh = std::move(fresh)](call& later, profile::refresh_session::answer_type& came) {
      set_access_cookie(later, kit, *came.slot);
      if (came.rotated)
        set_refresh_cookie(later, kit, fresh, came.slot->expires_at());
      done(later, came.slot->owner());
    },
    [kit, over](call& later, const refusal&) {
      clear_cookies(later, kit);
      over(later);
    });
}

std::optional<auth::verified_token> session_in_cookies(const call& c, const session_kit& kit) {
  if (auto shown = refresh_in_cookies(c, kit))
    return shown->says;
  const auto says = auth::verify_token(c.identity().tokens, cookie_value(c.head().cookie, kit.access_name), kit.access,
                                       in_seconds(c.now()));
  return says ? std::optional{*says} : std::nullopt;
}

} // namespace credence::http
