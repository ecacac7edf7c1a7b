#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/lookup_types.hpp"
#include "auth/provider_token.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// An outside identity provider as the settings describe it.
namespace credence::http {

class provider_keys;

/// A userkey with the name of a claim in braces: `address:{wallet_address}`.
class userkey_template {
public:
  /// Nothing when `text` has not one `{claim}`, makes no userkey whatever the claim says, or names somebody
  /// by a username, which others may take over.
  static std::optional<userkey_template> parse(std::string_view text);

  const std::string& claim() const noexcept { return claim_; }
  /// The userkey for what the claim says; nothing when that makes none. A value does not turn
  /// the key into one of another kind: it holds no colon, and the kind must be the template's.
  std::optional<people::lookup_key> fill(std::string_view value) const;

private:
  std::string before_;
  std::string claim_;
  std::string behind_;
  people::lookup_key::form how_{};
};

/// What tokens of the provider go by; one for all threads.
struct identity_provider {
  auth::provider_rules rules;
  userkey_template userkey;
  provider_keys* keys = nullptr;
};

/// What is wrong with the settings; empty when they are good, or there is no provider.
std::vector<std::string> provider_mistakes(const settings::auth& with);

} // namespace credence::http
