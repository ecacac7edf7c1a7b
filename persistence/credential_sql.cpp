#include "persistence/credential_sql.hpp"

#include <algorithm>

namespace credence::persistence {

using statement = credential_sql::statement;

const statement credential_sql::use_nonce{
  "use_nonce", "INSERT INTO used_nonces (address, nonce, profile_id, used_at, expires_at)"
               " VALUES ($1::bytea, $2::text, $3::int4, $4::timestamptz, $5::timestamptz)"};
const statement credential_sql::create_key{
  "create_key", "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, scopes, allowed_networks)"
                " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::text, $5::bytea, $6::timestamptz, $7::timestamptz,"
                " string_to_array($8::text, ','), string_to_array($9::text, ','))"};
const statement credential_sql::revoke_key{
  "revoke_key", "UPDATE api_keys SET revoked_at = $3::timestamptz WHERE id = $1::text::uuid AND profile_id = $2::int4"
                " AND revoked_at IS NULL"};
const statement credential_sql::stamp_keys{
  "stamp_keys", "UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)"
                " FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at) WHERE k.id = u.id::uuid"};
const statement credential_sql::open_session{
  "open_session", "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at, address)"
                  " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::bytea)"};
const statement credential_sql::rotate_session{
  "rotate_session", "UPDATE sessions SET previous_hash = refresh_hash, refresh_hash = $2::bytea,"
                    " rotated_at = $3::timestamptz WHERE id = $1::text::uuid AND ended_at IS NULL"};
const statement credential_sql::end_sessions{
  "end_sessions", "UPDATE sessions SET ended_at = $2::timestamptz"
                  " WHERE id = ANY(string_to_array($1::text, ',')::uuid[]) AND ended_at IS NULL"};
const std::array<const statement*, 7> credential_sql::all{&use_nonce,    &create_key,     &revoke_key, &stamp_keys,
                                                          &open_session, &rotate_session, &end_sessions};

namespace {

/// With commas between them; none of them holds one.
std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& each : parts)
    out.append(out.empty() ? "" : ",").append(each);
  return out;
}

std::vector<std::string> parted(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

} // namespace

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
    .time(key.expires_at)
    .text(key.bounds.scopes ? std::optional{names_of(*key.bounds.scopes)} : std::nullopt)
    .text(key.bounds.networks.empty() ? std::nullopt : std::optional{joined(key.bounds.networks)});
}

parameters credential_sql::revoke_key_with(const profile::key_revoked& change) {
  return parameters{}.text(change.id).int4(change.profile.value).time(change.at);
}

parameters credential_sql::open_session_with(const profile::session_opened& change) {
  const auto& each = change.opened;
  parameters out;
  out.text(each.id)
    .int4(each.profile.value)
    .bytes(each.refresh_hash)
    .time(each.rotated_at)
    .time(each.created_at)
    .time(each.expires_at);
  if (each.signer)
    out.bytes(each.signer->bytes);
  else
    out.null();
  return out;
}

parameters credential_sql::rotate_session_with(const profile::session_rotated& change) {
  return parameters{}.text(change.now.id).bytes(change.now.refresh_hash).time(change.now.rotated_at);
}

parameters credential_sql::end_sessions_with(const std::vector<std::string>& ids, timestamp at) {
  return parameters{}.text(joined(ids)).time(at);
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
// Whether the wallet that made it is somebody else's by now, or nobody's.
#define CREDENCE_WITHOUT_WALLET                                                                                       \
  "address IS NOT NULL AND NOT EXISTS (SELECT FROM addresses a JOIN profiles p ON p.user_id = a.user_id"              \
  " WHERE a.address = c.address AND p.id = c.profile_id)"
constexpr auto keys_sql =
  "SELECT id::text, address, name, token_hash, created_at, expires_at, last_used_at, array_to_string(scopes, ','),"
  " array_to_string(allowed_networks, ','), " CREDENCE_WITHOUT_WALLET " FROM api_keys c"
  " WHERE profile_id = $1::int4 AND revoked_at IS NULL ORDER BY created_at";
constexpr auto sessions_sql =
  "SELECT id::text, refresh_hash, previous_hash, rotated_at, created_at, expires_at, address, " CREDENCE_WITHOUT_WALLET
  " FROM sessions c WHERE profile_id = $1::int4 AND ended_at IS NULL ORDER BY created_at";
#undef CREDENCE_WITHOUT_WALLET
constexpr auto revoked_sql = "SELECT id FROM revoked_tokens WHERE profile_id = $1::int4";
constexpr auto nonces_sql = "SELECT address, nonce, expires_at FROM used_nonces WHERE profile_id = $1::int4";

profile::api_key key_from(const rows& from, int i, profile_id owner) {
  profile::api_key out{std::string{from.text(i, 0)}, owner, address{bytes_from<20>(from.text(i, 1))},
                       std::string{from.text(i, 2)}, from.time(i, 4), from.time(i, 5), from.maybe_time(i, 6)};
  if (!from.null(i, 7)) {
    out.bounds.scopes.emplace();
    for (const auto& each : parted(from.text(i, 7)))
      if (const auto known = scope_named(each))
        out.bounds.scopes->add(*known);
  }
  if (!from.null(i, 8))
    out.bounds.networks = parted(from.text(i, 8));
  return out;
}

profile::session session_from(const rows& from, int i, profile_id owner) {
  profile::session out{std::string{from.text(i, 0)}, owner, bytes_from<32>(from.text(i, 1)), std::nullopt,
                       from.time(i, 3), from.time(i, 4), from.time(i, 5)};
  if (!from.null(i, 2))
    out.previous_hash = bytes_from<32>(from.text(i, 2));
  if (!from.null(i, 6))
    out.signer = address{bytes_from<20>(from.text(i, 6))};
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
    for (int i = 0; i < keys.count(); ++i) {
      out.keys.emplace_back(key_from(keys, i, of), bytes_from<32>(keys.text(i, 3)));
      if (keys.boolean(i, 9))
        out.without_wallet.emplace_back(keys.text(i, 0));
    }
    const auto sessions = on.run(sessions_sql, whose, deadline);
    for (int i = 0; i < sessions.count(); ++i) {
      out.sessions.push_back(session_from(sessions, i, of));
      if (sessions.boolean(i, 7))
        out.without_wallet.emplace_back(sessions.text(i, 0));
    }
    const auto nonces = on.run(nonces_sql, whose, deadline);
    for (int i = 0; i < nonces.count(); ++i)
      out.nonces.push_back({address{bytes_from<20>(nonces.text(i, 0))}, std::string{nonces.text(i, 1)}, nonces.time(i, 2)});
  }
  const auto revoked = on.run(revoked_sql, whose, deadline);
  for (int i = 0; i < revoked.count(); ++i)
    out.revoked_tokens.emplace_back(revoked.text(i, 0));
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
