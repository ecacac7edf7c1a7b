#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/profile/credential_types.hpp"
#include "http/call/principal.hpp"
#include "http/callers/client_address.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

} // namespace credence::http
