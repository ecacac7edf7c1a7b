#pragma once

#include "actors/domain/time.hpp"
#include "auth/access_token.hpp"
#include "config/load.hpp"
#include "http/call/console_caller.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace credence::http::admin {

/// What the admin listener goes by; constant.
struct terms {
  auth::token_rules tokens;
  std::map<profile_id, role> roles; // of whoever has one by the settings
  std::vector<std::string>
    domains; // that a message to sign in may name: where browsers find the console; the first one is the usual
  std::string scheme = "http";
  std::uint64_t chain_id = 1;
  std::string cookie = "__Host-credence-console";
  std::string cookie_attributes = "; Path=/; HttpOnly; Secure; SameSite=Strict";
  std::chrono::seconds idle_max = std::chrono::minutes{60};
  std::chrono::seconds session_max = std::chrono::hours{12};
  timestamp started_at{};
  std::string cut_off;       // when the run before began, as ISO 8601, where it did not end by itself; else empty
  settings::loaded in_force; // what the server was started with
  std::string settings_file; // may be empty
  std::function<settings::loaded()> settings_now; // what a restart would start with
};

/// The greatest of what the settings and a token of this service give a profile.
inline role role_of(const terms& by, profile_id who, bool admin_by_token) {
  const auto found = by.roles.find(who);
  const auto given = found == by.roles.end() ? role::none : found->second;
  return admin_by_token ? role::admin : given;
}

} // namespace credence::http::admin
