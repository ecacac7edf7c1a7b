#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/profile/partner_types.hpp"
#include "actors/profile/signed_nonce.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// API keys and browser sessions of a profile. Tokens are never seen here, only their
/// SHA-256.
namespace credence::profile {

/// An API key as its owner may see it.
struct api_key {
  std::string id; // a UUID
  profile_id profile;
  address signer; // the wallet that signed
  std::string name;
  timestamp created_at{};
  timestamp expires_at{};
  std::optional<timestamp> last_used_at;
  key_bounds bounds = {};
};

/// A browser's session. Its refresh token changes with every use.
struct session {
  std::string id; // a UUID
  profile_id profile;
  digest32 refresh_hash{};
  std::optional<digest32> previous_hash;
  timestamp rotated_at{};
  timestamp created_at{};
  timestamp expires_at{};
  std::optional<address> signer = {}; // the wallet that signed in
  std::string partner = {};           // the origin of the partner whose pages alone it is for; empty: our own pages
};

/// Why a key or session has come to its end before its time.
enum class end_cause : std::uint8_t {
  asked,        // by its owner
  wallet_left,  // the wallet that made it is no longer the profile's
  token_reused, // a refresh token that had been replaced came back
};
inline constexpr std::array<std::string_view, 3> end_cause_names{"asked for", "its wallet has left the profile",
                                                                 "a replaced refresh token came back"};

// -- changes ------------------------------------------------------------------

struct key_created {
  api_key key;
  digest32 token_hash{};
  signed_nonce by;
};
struct key_revoked {
  profile_id profile;
  std::string id;
  timestamp at{};
  end_cause why = end_cause::asked;
};
/// When keys were last used; behind the requests, at most once a minute each.
struct keys_used {
  struct use {
    std::string id;
    timestamp at{};
  };
  std::vector<use> uses;
};
struct session_opened {
  session opened;
  std::optional<signed_nonce> by;
  std::optional<std::string> in_place_of; // ended, as there are too many
  std::optional<digest32> code = {};      // of a partner, which is used up by it
};
struct session_rotated {
  session now;
};
struct sessions_ended {
  profile_id profile;
  std::vector<std::string> ids;
  timestamp at{};
  end_cause why = end_cause::asked;
};
/// A nonce of a message that was signed for what leaves no record of its own.
struct nonce_used {
  profile_id profile;
  signed_nonce by;
  timestamp at{};
};

// -- questions ----------------------------------------------------------------

/// Makes an API key for whoever signed with a wallet of this profile. Refused with
/// `forbidden` (no access), `nonce_reused` or `key_limit_reached`.
struct create_key {
  using answer_type = api_key;
  api_key key; // as it is to be
  digest32 token_hash{};
  signed_nonce by;
  profile_id addressed_to() const noexcept { return key.profile; }
};

/// The keys of a profile that are not revoked, newest first; expired ones too.
struct list_keys {
  using answer_type = std::vector<api_key>;
  profile_id profile;
};

struct done {};

/// Uses up the nonce of a message that this profile's wallet has signed. Refused with `nonce_reused`, or `forbidden`
/// for a profile that is not live.
struct use_nonce {
  using answer_type = done;
  profile_id profile;
  signed_nonce by;
};

/// Revokes a key; requests with it are refused from the answer on. Refused with
/// `key_not_found` for a key of somebody else.
struct revoke_key {
  using answer_type = done;
  profile_id profile;
  std::string id;
};

/// What stands behind a token whose signature holds. Refused with `unauthenticated`
/// when it is revoked, ended, or was never made. An access token is good unless it is revoked.
struct check_credential {
  static constexpr bool brief = true;
  using answer_type = std::shared_ptr<credential_slot>;
  profile_id profile;
  credential_kind kind{};
  std::string id;
  std::optional<digest32> token_hash; // of an API key
  timestamp expires_at = {};          // of an access token
};

/// Opens a session. Refused with `nonce_reused` or `code_not_valid`.
struct open_session {
  using answer_type = std::shared_ptr<credential_slot>;
  session opened;
  std::optional<signed_nonce> by;    // signed for it
  std::optional<digest32> code = {}; // hash of the code that the partner's page was handed
  profile_id addressed_to() const noexcept { return opened.profile; }
};

/// Puts a new refresh token in place of the one presented. Refused with `unauthenticated`;
/// a token that was replaced before is a stolen one and ends the session.
struct refresh_session {
  struct answer_type {
    std::shared_ptr<credential_slot> slot;
    bool rotated = false; // false: replaced a moment ago by a request that ran beside this one
  };
  profile_id profile;
  std::string id;
  digest32 presented{};
  digest32 fresh{};
  std::string partner = {}; // whose pages ask; empty: ours. Those of another one do not know the session
};

/// Ends a session; it is refused from the answer on, and so is an access token that was told when it was
/// opened. Refused with `session_not_found` for a session of somebody else.
struct end_session {
  using answer_type = done;
  profile_id profile;
  std::string id;
};

/// Ends all sessions of a profile but one, if that is named.
struct end_other_sessions {
  using answer_type = done;
  profile_id profile;
  std::optional<std::string> but;
};

/// The sessions of a profile that hold, opened last first.
struct list_sessions {
  using answer_type = std::vector<session>;
  profile_id profile;
};

// -- loading ------------------------------------------------------------------

struct load_credentials {
  profile_id profile;
};
struct stored_credentials {
  bool live = false;                              // the profile is there and not archived
  bool api_access = false;                        // it may have API keys
  std::vector<std::pair<api_key, digest32>> keys; // not revoked
  std::vector<session> sessions;                  // not ended
  std::vector<signed_nonce> nonces;
  std::vector<std::string> without_wallet; // ids of those keys and sessions whose wallet is no longer the profile's
  std::vector<std::string> revoked_tokens; // ids of access tokens that have not expired
  stored_partners partners = {};
};

} // namespace credence::profile
