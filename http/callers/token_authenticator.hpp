#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/profile/credential_types.hpp"
#include "auth/digest.hpp"
#include "auth/token_cache.hpp"
#include "http/call/principal.hpp"
#include "http/callers/client_address.hpp"
#include "http/outside/identity_provider.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace credence::http {

/// The bearer of a provider's token that holds, as long as no profile is known for it.
struct outsider {
  people::lookup_key key;         // whom the token names
  bool has_no_profile = false;    // they were asked for a moment ago; else it is still to be asked
  unsettled_block unsettled = {}; // of a profile that has no rights yet
};

/// What a credential has come to without asking anybody.
struct found_caller {
  principal who;
  /// Set when only the signature is known to hold: its owner has to be asked, and what it
  /// says is to be `learn`ed.
  std::optional<profile::check_credential> to_check = {};
  /// The key's id, for the first use in a minute: to be noted.
  const std::string* noted_use = nullptr;
  /// Where the key may be used from; null: anywhere.
  const address_ranges* only_from = nullptr;
  /// Set instead of `who`: whom the token names has to be found, and `learn`ed.
  std::optional<outsider> unknown = {};
};

/// Turns a credential into a caller. One instance per I/O thread, so that it may
/// keep a cache without a lock.
class authenticator {
public:
  virtual ~authenticator() = default;

  /// The caller behind a credential, or a refusal that does not say what was wrong with
  /// it; `forbidden` for a key of a profile that may have none.
  virtual outcome<found_caller> find(credential_kind by, std::string_view token) = 0;

  /// Takes in what the owner of an API key, a session or an access token that can end has said of it.
  virtual void learn(credential_kind, std::string_view, std::shared_ptr<profile::credential_slot>) {}

  /// Takes in whom the key of an `outsider` leads to; who calls, if that is somebody with a profile whose block is
  /// settled.
  virtual std::optional<principal> learn(std::string_view, const people::found_person&) { return std::nullopt; }

  /// Whether it was found good before and is in memory. Where many were refused lately,
  /// only such ones are looked at.
  virtual bool knows(credential_kind, std::string_view) const { return false; }
};

/// API keys, sessions and access tokens that can end before their time, which were found good, by the SHA-256 of their
/// token. For one thread. Whether one still holds is in its slot, which its owner ends at once.
class credential_cache {
public:
  explicit credential_cache(std::size_t most) : most_(most) {}

  struct entry {
    std::shared_ptr<profile::credential_slot> slot;
    std::optional<address_ranges> only_from; // of a key that was narrowed to networks
    timestamp until = timestamp::max();      // the end of the token itself, which may come before that of what it names
  };

  /// Null for one that is not known.
  const entry* find(const auth::digest& token) const {
    const auto found = known_.find(token);
    return found == known_.end() ? nullptr : &found->second;
  }
  void take(const auth::digest& token, std::shared_ptr<profile::credential_slot> slot,
            timestamp until = timestamp::max()) {
    if (known_.size() >= most_)
      make_room();
    entry fresh{std::move(slot), std::nullopt, until};
    if (const auto& networks = fresh.slot->bounds().networks; !networks.empty())
      fresh.only_from.emplace(networks);
    known_.insert_or_assign(token, std::move(fresh));
  }
  void forget(const auth::digest& token) { known_.erase(token); }

private:
  void make_room() {
    auto surplus = most_ / 8 + 1;
    for (auto each = known_.begin(); surplus > 0 && each != known_.end(); --surplus)
      each = known_.erase(each);
  }

  std::size_t most_;
  std::unordered_map<auth::digest, entry, keyed_hash> known_;
};

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
    bool has_no_profile = false; // if neither is set, the profile was not looked up yet
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

/// Callers by access token, API key or session, from caches of this thread. Admins are the configured profiles, and
/// whoever holds a token that this service signed as an admin's; both by access token only, and only by one that lives
/// hours. An access token issued with a session ends with it.
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
