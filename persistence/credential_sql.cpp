#include "persistence/credential_sql.hpp"

#include <algorithm>

namespace credence::persistence {

using statement = credential_sql::statement;

const statement credential_sql::use_nonce{
  "use_nonce", "INSERT INTO used_nonces (address, nonce, profile_id, used_at, expires_at)"
               " VALUES ($1::bytea, $2::text, $3::int4, $4::timestamptz, $5::timestamptz)"};
const statement credential_sql::create_key{
  "create_key", "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at)"
                " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::text, $5::bytea, $6::timestamptz, $7::timestamptz)"};
const statement credential_sql::revoke_key{
  "revoke_key", "UPDATE api_keys SET revoked_at = $3::timestamptz WHERE id = $1::text::uuid AND profile_id = $2::int4"
                " AND revoked_at IS NULL"};
const statement credential_sql::stamp_keys{
  "stamp_keys", "UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)"
                " FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at) WHERE k.id = u.id::uuid"};
const statement credential_sql::open_session{
  "open_session", "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at)"
                  " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::timestamptz, $5::timestamptz, $6::timestamptz)"};
const statement credential_sql::rotate_session{
  "rotate_session", "UPDATE sessions SET previous_hash = refresh_hash, refresh_hash = $2::bytea,"
                    " rotated_at = $3::timestamptz WHERE id = $1::text::uuid AND ended_at IS NULL"};
const statement credential_sql::end_session{
  "end_session", "UPDATE sessions SET ended_at = $2::timestamptz WHERE id = $1::text::uuid AND ended_at IS NULL"};
const std::array<const statement*, 7> credential_sql::all{&use_nonce,      &create_key,     &revoke_key, &stamp_keys,
                                                          &open_session, &rotate_session, &end_session};

parameters credential_sql::use_nonce_with(const profile::signed_nonce& which, profile_id of, timestamp at) {
  return parameters{}.bytes(which.signer.bytes).text(which.nonce).int4(of.value).time(at).time(which.expires_at);
}

parameters credential_sql::create_key_with(const profile::key_created& change) {
  const auto& key = change.key;
  return parameters{}
    .text(key.id)
    .int4(key.profile.value)
    .bytes(key.signer.bytes)
    .text(key.name)
    .bytes(change.token_hash)
    .time(key.created_at)
    .time(key.expires_at);
}

parameters credential_sql::revoke_key_with(const profile::key_revoked& change) {
  return parameters{}.text(change.id).int4(change.profile.value).time(change.at);
}

parameters credential_sql::open_session_with(const profile::session_opened& change) {
  const auto& each = change.opened;
  return parameters{}
    .text(each.id)
    .int4(each.profile.value)
    .bytes(each.refresh_hash)
    .time(each.rotated_at)
    .time(each.created_at)
    .time(each.expires_at);
}

parameters credential_sql::rotate_session_with(const profile::session_rotated& change) {
  return parameters{}.text(change.now.id).bytes(change.now.refresh_hash).time(change.now.rotated_at);
}

parameters credential_sql::end_session_with(const std::string& id, timestamp at) {
  return parameters{}.text(id).time(at);
}

// -- columns -----------------------------------------------------------------------------

void use_columns::clear() {
  size_ = 0;
  id_.clear();
  at_.clear();
}

void use_columns::add(const profile::keys_used& change) {
  for (const auto& each : change.uses) {
    ++size_;
    id_.text(each.id);
    at_.time(each.at);
  }
}

const parameters& use_columns::finish() {
  with_.clear();
  with_.array(id_).array(at_);
  return with_;
}

// -- reading -----------------------------------------------------------------------------

namespace {

constexpr auto access_sql = "SELECT NOT archived, api_access FROM profiles WHERE id = $1::int4";
constexpr auto keys_sql = "SELECT id::text, address, name, token_hash, created_at, expires_at, last_used_at FROM api_keys"
                          " WHERE profile_id = $1::int4 AND revoked_at IS NULL ORDER BY created_at";
constexpr auto sessions_sql =
  "SELECT id::text, refresh_hash, previous_hash, rotated_at, created_at, expires_at FROM sessions"
  " WHERE profile_id = $1::int4 AND ended_at IS NULL ORDER BY created_at";
constexpr auto nonces_sql = "SELECT address, nonce, expires_at FROM used_nonces WHERE profile_id = $1::int4";

profile::api_key key_from(const rows& from, int i, profile_id owner) {
  return {std::string{from.text(i, 0)}, owner, address{bytes_from<20>(from.text(i, 1))}, std::string{from.text(i, 2)},
          from.time(i, 4), from.time(i, 5), from.maybe_time(i, 6)};
}

profile::session session_from(const rows& from, int i, profile_id owner) {
  profile::session out{std::string{from.text(i, 0)}, owner, bytes_from<32>(from.text(i, 1)), std::nullopt,
                       from.time(i, 3), from.time(i, 4), from.time(i, 5)};
  if (!from.null(i, 2))
    out.previous_hash = bytes_from<32>(from.text(i, 2));
  return out;
}

} // namespace

profile::stored_credentials read_credentials(connection& on, profile_id of, steady_time deadline) {
  profile::stored_credentials out;
  const auto whose = parameters{}.int4(of.value);
  transaction snapshot{on, deadline, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
  const auto access = on.run(access_sql, whose, deadline);
  if (!access.empty()) {
    out.live = access.boolean(0, 0);
    out.api_access = access.boolean(0, 1);
    const auto keys = on.run(keys_sql, whose, deadline);
    for (int i = 0; i < keys.count(); ++i)
      out.keys.emplace_back(key_from(keys, i, of), bytes_from<32>(keys.text(i, 3)));
    const auto sessions = on.run(sessions_sql, whose, deadline);
    for (int i = 0; i < sessions.count(); ++i)
      out.sessions.push_back(session_from(sessions, i, of));
    const auto nonces = on.run(nonces_sql, whose, deadline);
    for (int i = 0; i < nonces.count(); ++i)
      out.nonces.push_back({address{bytes_from<20>(nonces.text(i, 0))}, std::string{nonces.text(i, 1)}, nonces.time(i, 2)});
  }
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
