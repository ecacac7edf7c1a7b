#pragma once

#include "actors/domain/time.hpp"
#include "auth/token_cache.hpp"
#include "http/callers/authenticator.hpp"
#include "http/callers/credential_cache.hpp"
#include "http/callers/provider_bearers.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace credence::http {

/// Callers by access token, API key or session, from caches of this thread. Admins are
/// the configured profiles, and whoever holds a token that this service signed as an
/// admin's; both by access token only, and only by one that lives hours. One that was told with a session ends with it.
/// A token that names ES256 is an identity provider's, if there is one; all others are this service's own.
class token_authenticator final : public authenticator {
public:
  struct rules {
    auth::token_rules tokens;
    std::string key_prefix; // of API keys, such as `crd_`
    std::size_t cached_max = 0;
    std::shared_ptr<const std::set<profile_id>> admins;
    const identity_provider* provider = nullptr; // null: there is none
    timestamp (*now)() = &system_now;
  };
  explicit token_authenticator(const rules& how)
    : how_(how), bearers_(how.tokens, how.cached_max), others_(how.cached_max), endings_(how.cached_max) {
    if (how.provider)
      outside_.emplace(*how.provider, how.cached_max);
  }

  outcome<found_caller> find(credential_kind by, std::string_view token) override;
  void learn(credential_kind by, std::string_view token, std::shared_ptr<profile::credential_slot> slot) override;
  std::optional<principal> learn(std::string_view token, const people::found_person& found) override;
  bool knows(credential_kind by, std::string_view token) const override;

private:
  std::chrono::sys_seconds now_in_seconds() const { return std::chrono::floor<std::chrono::seconds>(how_.now()); }
  outcome<found_caller> find_bearer(std::string_view token);
  outcome<found_caller> find_outside(std::string_view token);
  principal bearer(profile_id who, bool admin) const;
  outcome<found_caller> find_ending(const auth::verified_token& token, std::string_view text);
  outcome<found_caller> check_signature(credential_kind by, std::string_view token, const auth::digest& hash);

  rules how_;
  auth::token_cache bearers_;
  credential_cache others_;  // keys and sessions
  credential_cache endings_; // what access tokens end with; apart, as those are no cookies
  std::optional<provider_bearers> outside_;
};

} // namespace credence::http
