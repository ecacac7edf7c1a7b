#pragma once

#include "auth/token_cache.hpp"
#include "http/authenticator.hpp"
#include "http/credential_cache.hpp"

#include <memory>
#include <set>
#include <string>

namespace credence::http {

/// Callers by access token, API key or session, from caches of this thread. Admins are
/// the configured profiles, and whoever holds a token that this service signed as an
/// admin's; both by access token only.
class token_authenticator final : public authenticator {
public:
  struct rules {
    auth::token_rules tokens;
    std::string key_prefix; // of API keys, such as `crd_`
    std::size_t cached_max = 0;
    std::shared_ptr<const std::set<profile_id>> admins;
  };
  explicit token_authenticator(const rules& how)
    : how_(how), bearers_(how.tokens, how.cached_max), others_(how.cached_max) {}

  outcome<found_caller> find(credential_kind by, std::string_view token) override;
  void learn(credential_kind by, std::string_view token, std::shared_ptr<profile::credential_slot> slot) override;
  bool knows(credential_kind by, std::string_view token) const override;

private:
  outcome<found_caller> find_bearer(std::string_view token);
  outcome<found_caller> check_signature(credential_kind by, std::string_view token, const auth::digest& hash);

  rules how_;
  auth::token_cache bearers_;
  credential_cache others_;
};

} // namespace credence::http
