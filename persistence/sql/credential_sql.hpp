#pragma once

#include "actors/profile/profile_storage.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <span>
#include <vector>

/// API keys, sessions and nonces: statements and row mapping.
namespace credence::persistence {

template <>
struct sql_of<profile::key_created> : written_freely {
  static statements_used used();
  void add(const profile::key_created& made, global_seq, batch_statements& to);
};
template <>
struct sql_of<profile::key_revoked> : written_freely {
  static statements_used used();
  void add(const profile::key_revoked& revoked, global_seq, batch_statements& to);
};
/// When keys were last used, of one batch.
template <>
struct sql_of<profile::keys_used> {
public:
  static statements_used used();
  void clear() { uses_.clear(); }
  void add(const profile::keys_used& change, global_seq, batch_statements&);
  void finish(batch_statements& to);

private:
  fact_columns<profile::keys_used::use> uses_;
};
template <>
struct sql_of<profile::session_opened> : written_freely {
  static statements_used used();
  void add(const profile::session_opened& fresh, global_seq, batch_statements& to);
};
template <>
struct sql_of<profile::session_rotated> : written_freely {
  static statements_used used();
  void add(const profile::session_rotated& rotated, global_seq, batch_statements& to);
};
template <>
struct sql_of<profile::sessions_ended> : written_freely {
  static statements_used used();
  void add(const profile::sessions_ended& ended, global_seq, batch_statements& to);
};

template <>
struct sql_of<profile::partner_switched> : written_freely {
  static statements_used used();
  void add(const profile::partner_switched& switched, global_seq, batch_statements& to);
};
template <>
struct sql_of<profile::partner_code_made> : written_freely {
  static statements_used used();
  void add(const profile::partner_code_made& made, global_seq, batch_statements& to);
};

template <>
struct sql_of<profile::nonce_used> : written_freely {
  static statements_used used();
  void add(const profile::nonce_used& used, global_seq, batch_statements& to);
};

/// Keys and sessions that hold and nonces that were used, in the order asked, of one snapshot.
std::vector<profile::stored_credentials> read(connection& on, std::span<const profile::load_credentials> whose,
                                              steady_time deadline);
template <>
inline constexpr manner manner_of<profile::load_credentials> = load_in_groups;

/// What a key was narrowed to, from lists with commas; null: nothing was.
profile::key_bounds key_bounds_of(std::optional<std::string_view> scopes, std::optional<std::string_view> networks);

/// What a partner did for a profile, newest first.
std::vector<profile::partner_act> read(connection& on, const profile::list_partner_acts& which, steady_time deadline);
template <>
inline constexpr manner manner_of<profile::list_partner_acts> = list_a_page;

} // namespace credence::persistence
