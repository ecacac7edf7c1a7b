#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/profile/partner_types.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace credence::profile {

/// Which partners may act for one profile, and the codes that their pages were handed. What is on its way to the
/// database counts already where it forbids something, and not yet where it allows something.
class partners {
public:
  /// Codes that may be traded at the same time; a further one takes the place of the oldest.
  static constexpr std::size_t codes_max = 8;

  explicit partners(stored_partners stored);

  // -- rules: `decide` may refuse and changes nothing; `apply` makes it pending; `commit` makes it so; `take_back`
  // undoes
  //    whatever is pending. A profile that is archived has been refused before.
  /// Refuses with `not_found` to switch off what was never let in: there is nothing to write.
  outcome<partner_switched> decide(const switch_partner& command, timestamp now) const;
  partner_code_made decide(const make_partner_code& command, timestamp now) const;
  /// Why a code cannot be traded for a session of that origin, if so.
  std::optional<refusal> refuses(const digest32& code, const std::string& origin, timestamp now) const;

  void apply(const partner_switched& change);
  void apply(const partner_code_made& change);
  void commit(const partner_switched& change);
  void commit(const partner_code_made& change);
  void use(const digest32& code);
  void commit_use(const digest32& code);
  void take_back();

  /// Whether the pages of an origin may act; refused with `endpoint_disabled`.
  outcome<partner_grant> check(const std::string& origin) const;
  /// How the switch will stand once what is on its way is stored; null if it was never touched.
  const partner_grant* last(const std::string& origin) const;
  /// All of them, by origin.
  std::vector<partner_grant> list() const;

private:
  enum class phase : std::uint8_t { coming, here, going };
  struct code_entry {
    partner_code code;
    phase now = phase::here;
  };
  const partner_grant* find(const std::string& origin) const; // as committed
  void set(const partner_grant& grant);
  void end_pending(const std::string& origin);

  std::vector<partner_grant> grants_;   // as committed
  std::vector<partner_grant> switches_; // on their way
  std::vector<code_entry> codes_;
};

/// The API keys and sessions of one profile, and the nonces its wallets have used. What is
/// on its way to the database counts already where it forbids something, and not yet
/// where it allows something.
class credentials {
public:
  static constexpr std::size_t active_keys_max = 25; // spec: Limits
  /// Active ones, and of those that have expired the ones that did so last: as many as `load_credentials` finds.
  static constexpr std::size_t keys_max = 100;
  static constexpr std::size_t sessions_max = 100;
  /// Two requests of one browser may refresh side by side.
  static constexpr std::chrono::seconds refresh_leeway{10};

  static constexpr std::chrono::hours nonces_kept_for{24}; // beyond their messages; clocks are set back

  /// A session that is not refreshed for `idle` ends.
  explicit credentials(stored_credentials stored, std::chrono::seconds idle = std::chrono::days{14});

  // -- rules: `decide` may refuse and changes nothing; `apply` makes it pending; `commit`
  //    makes it so; `take_back` undoes whatever is pending.
  outcome<key_created> decide(const create_key& command, timestamp now) const;
  outcome<key_revoked> decide(const revoke_key& command, timestamp now) const;
  outcome<session_opened> decide(const open_session& command, timestamp now) const;
  outcome<sessions_ended> decide(const end_session& command, timestamp now) const;
  /// Nothing is refused; there may be none to end.
  outcome<sessions_ended> decide(const end_other_sessions& command, timestamp now) const;
  outcome<nonce_used> decide(const use_nonce& command, timestamp now) const;
  /// Refused with `profile_not_live`, unless an operator switches off.
  outcome<partner_switched> decide(const switch_partner& command, timestamp now) const;
  outcome<partner_code_made> decide(const make_partner_code& command, timestamp now) const;
  /// What a refresh token that was presented means.
  enum class presented : std::uint8_t { current, just_replaced, stolen, unknown };
  presented judge(const refresh_session& command, timestamp now) const;
  session_rotated rotate(const refresh_session& command, timestamp now) const;

  void apply(const key_created& change);
  void apply(const key_revoked& change);
  void apply(const session_opened& change);
  void apply(const session_rotated& change);
  void apply(const sessions_ended& change);
  void apply(const nonce_used& change) { note_used(change.by); }
  void apply(const partner_switched& change) { partners_.apply(change); }
  void apply(const partner_code_made& change) { partners_.apply(change); }
  void commit(const key_created& change);
  void commit(const key_revoked& change);
  void commit(const session_opened& change);
  void commit(const session_rotated& change);
  void commit(const sessions_ended& change);
  void commit(const nonce_used& change) { commit_used(change.by); }
  void commit(const partner_switched& change) { partners_.commit(change); }
  void commit(const partner_code_made& change) { partners_.commit(change); }
  void take_back();

  /// Takes over what an operator may have changed.
  void set_access(bool live, bool api_access) noexcept {
    live_ = live;
    api_access_ = api_access;
  }
  /// Those whose wallet is no longer the profile's; they hold no more, and are still to be ended.
  void set_without_wallet(const std::vector<std::string>& ids);
  std::vector<std::string> keys_without_wallet() const;
  std::vector<std::string> sessions_without_wallet() const;
  bool live() const noexcept { return live_; }
  bool api_access() const noexcept { return api_access_; }

  /// The keys that are there, newest first; expired ones too, up to `keys_max` of all.
  std::vector<api_key> keys() const;
  bool has_key(const std::string& id) const;
  /// The key with this id and hash; null when there is none that holds.
  const api_key* key(const std::string& id, const digest32& hash) const;
  /// The session with this id; null when there is none that holds.
  const session* find_session(const std::string& id, timestamp now) const;
  /// The sessions that hold.
  std::vector<session> sessions(timestamp now) const;
  /// Which partners may act for the profile.
  const profile::partners& of_partners() const noexcept { return partners_; }

private:
  enum class phase : std::uint8_t { coming, here, going };
  template <class T>
  struct entry {
    T value;
    phase now = phase::here;
    digest32 hash{}; // of a key's token
    bool rotating = false;
    bool without_wallet = false;
  };

  void forget_expired_keys(timestamp now);
  bool used(const signed_nonce& which) const;
  bool holds(const entry<session>& which, timestamp now) const;
  bool over(const session& which, timestamp now) const;
  void note_used(const signed_nonce& which);
  void commit_used(const signed_nonce& which);
  entry<api_key>* key_entry(const std::string& id);
  entry<session>* session_entry(const std::string& id);

  std::chrono::seconds idle_;
  bool live_;
  bool api_access_;
  std::vector<entry<api_key>> keys_;
  std::vector<entry<session>> sessions_;
  std::vector<entry<signed_nonce>> nonces_;
  profile::partners partners_;
};

} // namespace credence::profile
