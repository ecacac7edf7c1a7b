#pragma once

#include "auth/token_cache.hpp"
#include "http/authenticator.hpp"

#include <memory>
#include <set>

namespace credence::http {

/// Callers by access token, from a cache of this thread. Admins are the configured
/// profiles, and whoever holds a token that this service signed as an admin's.
class token_authenticator final : public authenticator {
public:
  token_authenticator(auth::token_rules rules, std::size_t cached_max, std::shared_ptr<const std::set<profile_id>> admins)
    : cache_(std::move(rules), cached_max), admins_(std::move(admins)) {}

  outcome<principal> verify(std::string_view bearer) override;
  bool knows(std::string_view bearer) const override { return cache_.knows(bearer); }

private:
  auth::token_cache cache_;
  std::shared_ptr<const std::set<profile_id>> admins_;
};

} // namespace credence::http
