#include "persistence/sql/credential_sql.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

const statement use_nonce{
  "use_nonce", "INSERT INTO used_nonces (address, nonce, profile_id, used_at, expires_at)"
               " VALUES ($1::bytea, $2::text, $3::int4, $4::timestamptz, $5::timestamptz)"};
const statement create_key{
  "create_key", "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, scopes, allowed_networks)"
                " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::text, $5::bytea, $6::timestamptz, $7::timestamptz,"
                " string_to_array($8::text, ','), string_to_array($9::text, ','))"};
const statement revoke_key{
  "revoke_key", "UPDATE api_keys SET revoked_at = $3::timestamptz WHERE id = $1::text::uuid AND profile_id = $2::int4"
                " AND revoked_at IS NULL"};
const statement stamp_keys{
  "stamp_keys", "UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)"
                " FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at) WHERE k.id = u.id::uuid"};
const statement open_session{
  "open_session", "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at, address)"
                  " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::bytea)"};
const statement rotate_session{
  "rotate_session", "UPDATE sessions SET previous_hash = refresh_hash, refresh_hash = $2::bytea,"
                    " rotated_at = $3::timestamptz WHERE id = $1::text::uuid AND ended_at IS NULL"};
const statement end_sessions{
  "end_sessions", "UPDATE sessions SET ended_at = $2::timestamptz"
                  " WHERE id = ANY(string_to_array($1::text, ',')::uuid[]) AND ended_at IS NULL"};
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

parameters use_nonce_with(const profile::signed_nonce& which, profile_id of, timestamp at) {
  return parameters{}.bytes(which.signer.bytes).text(which.nonce).int4(of.value).time(at).time(which.expires_at);
}

parameters end_sessions_with(const std::vector<std::string>& ids, timestamp at) {
  return parameters{}.text(joined(ids)).time(at);
}

} // namespace

statements_used sql_of<profile::key_created>::used() { return {&use_nonce, &create_key}; }
void sql_of<profile::key_created>::add(const profile::key_created& made, global_seq, batch_statements& to) {
  const auto& key = made.key;
  to.put(use_nonce, use_nonce_with(made.by, key.profile, key.created_at));
  to.put(create_key, parameters{}
                                 .text(key.id)
                                 .int4(key.profile.value)
                                 .bytes(key.signer.bytes)
                                 .text(key.name)
                                 .bytes(made.token_hash)
                                 .time(key.created_at)
                                 .time(key.expires_at)
                                 .text(key.bounds.scopes ? std::optional{names_of(*key.bounds.scopes)} : std::nullopt)
                                 .text(key.bounds.networks.empty() ? std::nullopt : std::optional{joined(key.bounds.networks)}));
}

statements_used sql_of<profile::key_revoked>::used() { return {&revoke_key}; }
void sql_of<profile::key_revoked>::add(const profile::key_revoked& revoked, global_seq, batch_statements& to) {
  to.put(revoke_key, parameters{}.text(revoked.id).int4(revoked.profile.value).time(revoked.at));
}

statements_used sql_of<profile::keys_used>::used() { return {&stamp_keys}; }
void sql_of<profile::keys_used>::add(const profile::keys_used& change, global_seq, batch_statements&) {
  for (const auto& each : change.uses)
    uses_.add(each);
}
void sql_of<profile::keys_used>::finish(batch_statements& to) {
  if (!uses_.empty())
    to.borrow(stamp_keys, uses_.finish());
}

statements_used sql_of<profile::session_opened>::used() { return {&use_nonce, &end_sessions, &open_session}; }
void sql_of<profile::session_opened>::add(const profile::session_opened& fresh, global_seq, batch_statements& to) {
  const auto& opened = fresh.opened;
  if (fresh.by)
    to.put(use_nonce, use_nonce_with(*fresh.by, opened.profile, opened.created_at));
  if (fresh.in_place_of)
    to.put(end_sessions, end_sessions_with({*fresh.in_place_of}, opened.created_at));
  parameters with;
  with.text(opened.id)
    .int4(opened.profile.value)
    .bytes(opened.refresh_hash)
    .time(opened.rotated_at)
    .time(opened.created_at)
    .time(opened.expires_at);
  if (opened.signer)
    with.bytes(opened.signer->bytes);
  else
    with.null();
  to.put(open_session, std::move(with));
}

statements_used sql_of<profile::session_rotated>::used() { return {&rotate_session}; }
void sql_of<profile::session_rotated>::add(const profile::session_rotated& rotated, global_seq, batch_statements& to) {
  to.put(rotate_session, parameters{}.text(rotated.now.id).bytes(rotated.now.refresh_hash).time(rotated.now.rotated_at));
}

statements_used sql_of<profile::sessions_ended>::used() { return {&end_sessions}; }
void sql_of<profile::sessions_ended>::add(const profile::sessions_ended& ended, global_seq, batch_statements& to) {
  to.put(end_sessions, end_sessions_with(ended.ids, ended.at));
}

// -- reading -----------------------------------------------------------------------------

namespace {

// Of several profiles at once; each costs descents of indexes, whatever the plan around it.
constexpr auto access_sql =
  "SELECT k.n, NOT p.archived, p.api_access FROM unnest($1::int4[]) WITH ORDINALITY k(id, n),"
  " LATERAL (SELECT archived, api_access FROM profiles WHERE id = k.id OFFSET 0) p";
// Whether the wallet that made it is somebody else's by now, or nobody's.
#define CREDENCE_WITHOUT_WALLET                                                                                       \
  "address IS NOT NULL AND NOT EXISTS (SELECT FROM addresses a JOIN profiles p ON p.user_id = a.user_id"              \
  " WHERE a.address = c.address AND p.id = c.profile_id)"
constexpr auto keys_sql =
  "SELECT k.n, t.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, n), LATERAL (SELECT c.id::text, address, name, token_hash,"
  " created_at, expires_at, last_used_at, array_to_string(scopes, ','), array_to_string(allowed_networks, ','), " CREDENCE_WITHOUT_WALLET
  " FROM api_keys c WHERE profile_id = k.id AND revoked_at IS NULL ORDER BY created_at) t";
constexpr auto sessions_sql =
  "SELECT k.n, t.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, n), LATERAL (SELECT c.id::text, refresh_hash, previous_hash,"
  " rotated_at, created_at, expires_at, address, " CREDENCE_WITHOUT_WALLET
  " FROM sessions c WHERE profile_id = k.id AND ended_at IS NULL ORDER BY created_at) t";
#undef CREDENCE_WITHOUT_WALLET
constexpr auto revoked_sql =
  "SELECT k.n, r.id FROM unnest($1::int4[]) WITH ORDINALITY k(id, n),"
  " LATERAL (SELECT id FROM revoked_tokens WHERE profile_id = k.id OFFSET 0) r";
constexpr auto nonces_sql =
  "SELECT k.n, u.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, n),"
  " LATERAL (SELECT address, nonce, expires_at FROM used_nonces WHERE profile_id = k.id OFFSET 0) u";

std::size_t place_from(const rows& found, int row) { return static_cast<std::size_t>(found.int8(row, 0) - 1); }

profile::api_key key_from(const rows& from, int i, profile_id owner) {
  profile::api_key out{std::string{from.text(i, 1)}, owner, address{bytes_from<20>(from.text(i, 2))},
                       std::string{from.text(i, 3)}, from.time(i, 5), from.time(i, 6), from.maybe_time(i, 7)};
  if (!from.null(i, 8)) {
    out.bounds.scopes.emplace();
    for (const auto& each : parted(from.text(i, 8)))
      if (const auto known = scope_named(each))
        out.bounds.scopes->add(*known);
  }
  if (!from.null(i, 9))
    out.bounds.networks = parted(from.text(i, 9));
  return out;
}

profile::session session_from(const rows& from, int i, profile_id owner) {
  profile::session out{std::string{from.text(i, 1)}, owner, bytes_from<32>(from.text(i, 2)), std::nullopt,
                       from.time(i, 4), from.time(i, 5), from.time(i, 6)};
  if (!from.null(i, 3))
    out.previous_hash = bytes_from<32>(from.text(i, 3));
  if (!from.null(i, 7))
    out.signer = address{bytes_from<20>(from.text(i, 7))};
  return out;
}

} // namespace

std::vector<profile::stored_credentials> read_credentials(connection& on, std::span<const profile::load_credentials> whose, steady_time deadline) {
  std::vector<profile::stored_credentials> out(whose.size());
  binary_array ids{sql_type::int4};
  for (const auto& each : whose)
    ids.int4(each.profile.value);
  const auto with = [&] { return parameters{}.array(ids); };
  transaction snapshot{on, deadline, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
  const auto access = on.run(access_sql, with(), deadline);
  for (int i = 0; i < access.count(); ++i) {
    auto& of = out.at(place_from(access, i));
    of.live = access.boolean(i, 1);
    of.api_access = access.boolean(i, 2);
  }
  const auto keys = on.run(keys_sql, with(), deadline);
  for (int i = 0; i < keys.count(); ++i) {
    const auto place = place_from(keys, i);
    out.at(place).keys.emplace_back(key_from(keys, i, whose[place].profile), bytes_from<32>(keys.text(i, 4)));
    if (keys.boolean(i, 10))
      out[place].without_wallet.emplace_back(keys.text(i, 1));
  }
  const auto sessions = on.run(sessions_sql, with(), deadline);
  for (int i = 0; i < sessions.count(); ++i) {
    const auto place = place_from(sessions, i);
    out.at(place).sessions.push_back(session_from(sessions, i, whose[place].profile));
    if (sessions.boolean(i, 8))
      out[place].without_wallet.emplace_back(sessions.text(i, 1));
  }
  const auto nonces = on.run(nonces_sql, with(), deadline);
  for (int i = 0; i < nonces.count(); ++i)
    out.at(place_from(nonces, i)).nonces.push_back({address{bytes_from<20>(nonces.text(i, 1))}, std::string{nonces.text(i, 2)}, nonces.time(i, 3)});
  const auto revoked = on.run(revoked_sql, with(), deadline);
  for (int i = 0; i < revoked.count(); ++i)
    out.at(place_from(revoked, i)).revoked_tokens.emplace_back(revoked.text(i, 1));
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
