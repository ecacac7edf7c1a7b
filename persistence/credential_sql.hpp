#pragma once

#include "actors/profile/credential_types.hpp"
#include "persistence/connection.hpp"

#include <span>
#include <vector>

/// API keys, sessions and nonces: statements and row mapping.
namespace credence::persistence {

/// One statement each, as they are rare.
struct credential_sql {
  struct statement {
    const char* name;
    const char* sql;
  };
  static const statement use_nonce;
  static const statement create_key;
  static const statement revoke_key;
  static const statement stamp_keys;
  static const statement open_session;
  static const statement rotate_session;
  static const statement end_sessions;
  static const std::array<const statement*, 7> all;

  static parameters use_nonce_with(const profile::signed_nonce& which, profile_id of, timestamp at);
  static parameters create_key_with(const profile::key_created& change);
  static parameters revoke_key_with(const profile::key_revoked& change);
  static parameters open_session_with(const profile::session_opened& change);
  static parameters rotate_session_with(const profile::session_rotated& change);
  static parameters end_sessions_with(const std::vector<std::string>& ids, timestamp at);
};

/// When keys were last used, of one batch.
class use_columns {
public:
  void clear();
  void add(const profile::keys_used& change);
  bool empty() const noexcept { return size_ == 0; }
  /// Valid until the next change of this object.
  const parameters& finish();

private:
  std::size_t size_ = 0;
  binary_array id_{sql_type::text};
  binary_array at_{sql_type::timestamptz};
  parameters with_;
};

/// Keys and sessions that hold and nonces that were used, in the order asked, of one snapshot.
std::vector<profile::stored_credentials> read_credentials(connection& on, std::span<const profile::load_credentials> whose, steady_time deadline);

} // namespace credence::persistence
