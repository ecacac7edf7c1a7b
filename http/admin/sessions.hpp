#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "auth/access_token.hpp"
#include "config/load.hpp"
#include "http/call/console_caller.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

/// What the admin listener goes by; constant.
struct terms {
  auth::token_rules tokens;
  std::map<profile_id, role> roles; // of whoever has one by the settings
  std::vector<std::string>
    domains; // that a message to sign in may name: where browsers find the console; the first one is the usual
  std::string scheme = "http";
  std::uint64_t chain_id = 1;
  std::string cookie = "__Host-credence-console";
  std::string cookie_attributes = "; Path=/; HttpOnly; Secure; SameSite=Strict";
  std::chrono::seconds idle_max = std::chrono::minutes{60};
  std::chrono::seconds session_max = std::chrono::hours{12};
  std::chrono::seconds wall_max = std::chrono::days{30}; // of the role `wall`, used or not
  timestamp started_at{};
  std::string cut_off;       // when the run before began, as ISO 8601, where it did not end by itself; else empty
  settings::loaded in_force; // what the server was started with
  std::string settings_file; // may be empty
  std::function<settings::loaded()> settings_now; // what a restart would start with
};

/// How long a session of this role lasts, however it is used.
inline std::chrono::seconds session_max_of(const terms& by, role of) {
  return of == role::wall ? by.wall_max : by.session_max;
}
/// How long it lasts without use: a page that only watches makes no calls, so one for a wall has no such end.
inline std::chrono::seconds idle_max_of(const terms& by, role of) {
  return of == role::wall ? by.wall_max : by.idle_max;
}
/// No session lasts longer.
inline std::chrono::seconds longest_session(const terms& by) { return std::max(by.session_max, by.wall_max); }

/// The greatest of what the settings and a token of this service give a profile.
inline role role_of(const terms& by, profile_id who, bool admin_by_token) {
  const auto found = by.roles.find(who);
  const auto given = found == by.roles.end() ? role::none : found->second;
  return admin_by_token ? role::admin : given;
}

/// What the code of a link says: it lets somebody without a profile in.
struct link {
  std::string id;
  role of = role::none;
  std::string name; // who made it
  timestamp made_at{}, ends_at{};
};

/// The sessions of the console, and the links that open them. A session is held by its signed cookie, so it outlives
/// the process and needs no database. Sessions that were ended early are remembered here and in the database. Belongs
/// to one thread.
class sessions {
public:
  explicit sessions(const terms& by) : by_(by) {}

  /// Who shows this cookie, which counts as a use of the session; refused with `not_signed_in`.
  outcome<caller> find(std::string_view cookie, timestamp now);
  /// A new session for `who`, whose `profile`, `may`, `name` and `by` are set.
  caller open(caller who, timestamp now) const;
  /// The value of the cookie of a session, good until the session has been idle for long.
  std::string cookie_of(const caller& who) const;
  /// The header field that sets it, or one that removes it.
  std::string set_cookie(const caller& who) const;
  std::string clear_cookie() const;
  /// The session with its idle time begun anew; nothing within a minute of the last time.
  std::optional<caller> renewed(const caller& who, timestamp now) const;

  /// What every write with this session has to show.
  std::string csrf_token_of(std::string_view session) const;
  bool is_csrf_token_of(std::string_view session, std::string_view token) const;

  /// What a link says that is good and was not used; from here on it is used.
  outcome<link> use_link(std::string_view code, timestamp now);

  /// Ends a session, or uses a link up. False when no more can be remembered.
  bool end(const std::string& id, timestamp until, timestamp now);
  /// These had ended before this process began.
  void know_ended(const std::vector<std::string>& ids, timestamp now);
  bool knows_ended() const noexcept { return knows_; }
  bool has_ended(const std::string& id) const { return ended_.contains(id); }

  /// Whether it is time, as every so often, to look if the wallet that opened the session still is its profile's.
  bool has_to_look_at_wallet(const caller& who, timestamp now);
  /// It is not: the session ends. Where no more can be remembered the wallet is looked at with each use.
  bool end_without_wallet(const caller& who, timestamp now);

  /// When the session was last used; nothing where this process has not seen it.
  std::optional<timestamp> last_used(const std::string& id) const;
  /// A session that began with this sign-in as it is now, as far as this process knows: one that it has not seen may
  /// have been used until the process began. Nothing where it has ended, was idle for too long, or has no role any
  /// more. `began` has `profile`, `may`, `name`, `session` and `signed_in_at`.
  std::optional<caller> still_open(caller began, timestamp now) const;

private:
  using names_until = std::map<std::string, timestamp, std::less<>>; // until when each is remembered
  static constexpr std::size_t names_max = 10'000;
  role role_now(const std::optional<profile_id>& who, role given) const;
  void note_use(const std::string& id, timestamp now);

  const terms& by_;
  std::map<std::string, timestamp, std::less<>> used_; // when each session was last used
  names_until ended_;                                  // sessions, and links that were used
  std::map<std::string, timestamp> looked_at_;         // when the wallet of each session was
  bool knows_ = false;                                 // what had ended before
};

/// Makes the code of a link, good for ten minutes: `<random>.<time>.<role>.<name>.<MAC>`, short enough for a line of a
/// terminal. Only letters, digits, `-` and `_` of the name go into it, and 24 of them at most.
std::string make_link_code(const auth::token_rules& rules, role of, std::string_view name, timestamp now);

} // namespace credence::http::admin
