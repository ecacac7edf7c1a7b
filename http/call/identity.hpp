#pragma once

#include "auth/access_token.hpp"
#include "auth/siwe_message.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace credence::wallets {
struct action_rules; // actors/wallets/action_state.hpp
}

namespace credence::http {

inline constexpr std::string_view access_cookie_name = "service-access-token";
inline constexpr std::string_view refresh_cookie_name = "service-refresh-token";

/// The pages of partners.
struct partner_rules {
  std::vector<std::string> origins; // that are let in at all
  std::string cookie_prefix;        // `__Host-` where this service is reached by https
  std::string refresh_path = "/api/v2/wallets";
  bool act = true;                                 // false: none of them may act for anybody
  const wallets::action_rules* on_chain = nullptr; // how records become transactions; null: no chain is followed
  bool lists(std::string_view origin) const noexcept;
};

/// The name of the cookie `which` of a partner's page: one of its own for each origin, as several may share a site.
std::string partner_cookie_name(const partner_rules& rules, std::string_view which, std::string_view origin);
inline constexpr std::string_view partner_access_cookie = "partner-access-token";
inline constexpr std::string_view partner_refresh_cookie = "partner-refresh-token";

/// What handlers that make credentials go by; one for all threads, constant.
struct identity {
  auth::token_rules tokens;
  std::string key_prefix = "crd_";
  auth::siwe_expectation for_keys;                // signed messages that make API keys
  auth::siwe_expectation for_login;               // and those that sign in
  std::chrono::seconds access_lifetime{3600};     // of a bearer token
  std::chrono::seconds session_step{900};         // of the token in the access cookie
  std::chrono::seconds session_lifetime{2592000}; // of a session as a whole
  std::chrono::seconds exchange_age_max{300};     // of an access token that is traded for a session
  std::string access_cookie{access_cookie_name};
  std::string refresh_cookie{refresh_cookie_name};
  std::string refresh_path = "/api/v2/auth";
  std::string cookie_attributes = "; HttpOnly; Secure; SameSite=Lax";
  partner_rules partners;
};

/// The value of a cookie in a `Cookie` header; empty when it is not there (RFC 6265, 5.4).
std::string_view cookie_value(std::string_view header, std::string_view name) noexcept;

/// Whether it is a UUID as this service writes them, in lower case.
bool is_uuid(std::string_view text) noexcept;

} // namespace credence::http
