#pragma once

#include "actors/domain/hash.hpp"
#include "auth/access_token.hpp"
#include "auth/digest.hpp"

#include <cstddef>
#include <unordered_map>

namespace credence::auth {

/// Verified tokens by the SHA-256 of their text, until they expire. Holds no token.
/// For one thread. The clock is taken as it is: after a step forward and back tokens made
/// since must be good.
class token_cache {
public:
  token_cache(token_rules rules, std::size_t most) : rules_(std::move(rules)), most_(most) {}

  /// Who the token speaks for, from memory or by checking it.
  outcome<verified_token> verify(std::string_view token, std::chrono::sys_seconds now);

  /// Whether it has been verified before and is remembered; it may have expired since.
  bool knows(std::string_view token) const {
    return token.size() <= token_length_max && known_.contains(sha256(token));
  }

  std::size_t size() const noexcept { return known_.size(); }

private:
  void make_room(std::chrono::sys_seconds now);

  token_rules rules_;
  std::size_t most_;
  std::unordered_map<digest, verified_token, keyed_hash> known_;
};

} // namespace credence::auth
