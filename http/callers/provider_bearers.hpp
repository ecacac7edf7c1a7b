#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "actors/domain/time.hpp"
#include "actors/people/lookup_types.hpp"
#include "auth/digest.hpp"
#include "http/outside/identity_provider.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace credence::http {

/// Tokens of an identity provider that were found good, by the SHA-256 of their text, and whose
/// they are. For one thread. What is known counts for a short time; then the signature is checked
/// against the keys of that time and the profile looked up again.
class provider_bearers {
public:
  static constexpr std::chrono::seconds known_for{60};
  /// For who has no profile, or none with rights: it may have at any moment.
  static constexpr std::chrono::seconds unknown_for{5};

  provider_bearers(const identity_provider& provider, std::size_t most) : provider_(provider), most_(most) {}

  struct bearer {
    people::lookup_key key; // whom the token names
    std::optional<profile_id> profile;
    bool has_no_profile = false; // with neither, nobody has been asked
    std::optional<std::chrono::sys_seconds> issued_at = {};
    unsettled_block unsettled = {}; // of a profile that has no rights yet, and so counts as none
  };
  /// Whose the token is, or `bad_token`. A key that is not there is asked for.
  outcome<bearer> find(std::string_view token, std::chrono::sys_seconds now, steady_time steady);
  /// Takes in whom the key leads to.
  void learn(std::string_view token, const people::found_person& found, steady_time steady);
  /// Whether it has been found good before and is remembered; it may have expired since.
  bool knows(std::string_view token) const;

  std::size_t size() const noexcept { return known_.size(); }

private:
  struct entry {
    bearer who;
    std::chrono::sys_seconds not_before{};
    std::chrono::sys_seconds expires_at{};
    steady_time fresh_until{};
  };
  std::optional<entry> check(std::string_view token, std::chrono::sys_seconds now) const;
  void make_room(std::chrono::sys_seconds now);

  const identity_provider& provider_;
  std::size_t most_;
  std::unordered_map<auth::digest, entry, keyed_hash> known_;
};

} // namespace credence::http
