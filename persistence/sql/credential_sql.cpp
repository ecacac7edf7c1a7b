#include "persistence/sql/credential_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/used_nonce.hpp"

#include <algorithm>

namespace credence::persistence {

namespace {

const statement use_nonce{"use_nonce", use_nonce_sql};
const statement create_key{
  "create_key",
  "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at, scopes, allowed_networks)"
  " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::text, $5::bytea, $6::timestamptz, $7::timestamptz,"
  " string_to_array($8::text, ','), string_to_array($9::text, ','))"};
const statement revoke_key{
  "revoke_key", "UPDATE api_keys SET revoked_at = $3::timestamptz WHERE id = $1::text::uuid AND profile_id = $2::int4"
                " AND revoked_at IS NULL"};
const statement stamp_keys{"stamp_keys",
                           "UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)"
                           " FROM unnest($1::text[], $2::timestamptz[]) AS u (id, at) WHERE k.id = u.id::uuid"};
const statement open_session{
  "open_session",
  "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at, address, partner_origin)"
  " VALUES ($1::text::uuid, $2::int4, $3::bytea, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7::bytea, "
  "$8::text)"};
const statement rotate_session{"rotate_session",
                               "UPDATE sessions SET previous_hash = refresh_hash, refresh_hash = $2::bytea,"
                               " rotated_at = $3::timestamptz WHERE id = $1::text::uuid AND ended_at IS NULL"};
const statement end_sessions{"end_sessions",
                             "UPDATE sessions SET ended_at = $2::timestamptz"
                             " WHERE id = ANY(string_to_array($1::text, ',')::uuid[]) AND ended_at IS NULL"};
const statement use_code{"use_partner_code", "SELECT use_partner_code($1::bytea, $2::int4, $3::timestamptz)"};
const statement switch_partner{
  "switch_partner", "INSERT INTO partner_grants (profile_id, origin, enabled, changed_at)"
                    " VALUES ($1::int4, $2::text, $3::boolean, $4::timestamptz) ON CONFLICT (profile_id, origin)"
                    " DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at"};
const statement make_partner_code{"make_partner_code",
                                  "INSERT INTO partner_codes (hash, profile_id, origin, made_at, expires_at)"
                                  " VALUES ($1::bytea, $2::int4, $3::text, $4::timestamptz, $5::timestamptz)"};

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

statements_used sql_of<profile::session_opened>::used() {
  return {&use_nonce, &use_code, &end_sessions, &open_session};
}
void sql_of<profile::session_opened>::add(const profile::session_opened& fresh, global_seq, batch_statements& to) {
  const auto& opened = fresh.opened;
  if (fresh.by)
    to.put(use_nonce, use_nonce_with(*fresh.by, opened.profile, opened.created_at));
  if (fresh.code)
    to.put(use_code, parameters{}.bytes(*fresh.code).int4(opened.profile.value).time(opened.created_at));
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
  with.text(opened.partner.empty() ? std::nullopt : std::optional{opened.partner});
  to.put(open_session, std::move(with));
}

statements_used sql_of<profile::nonce_used>::used() { return {&use_nonce}; }
void sql_of<profile::nonce_used>::add(const profile::nonce_used& used, global_seq, batch_statements& to) {
  to.put(use_nonce, use_nonce_with(used.by, used.profile, used.at));
}

statements_used sql_of<profile::session_rotated>::used() { return {&rotate_session}; }
void sql_of<profile::session_rotated>::add(const profile::session_rotated& rotated, global_seq, batch_statements& to) {
  to.put(rotate_session,
         parameters{}.text(rotated.now.id).bytes(rotated.now.refresh_hash).time(rotated.now.rotated_at));
}

statements_used sql_of<profile::sessions_ended>::used() { return {&end_sessions}; }
void sql_of<profile::sessions_ended>::add(const profile::sessions_ended& ended, global_seq, batch_statements& to) {
  to.put(end_sessions, end_sessions_with(ended.ids, ended.at));
}

statements_used sql_of<profile::partner_switched>::used() { return {&switch_partner}; }
void sql_of<profile::partner_switched>::add(const profile::partner_switched& switched, global_seq,
                                            batch_statements& to) {
  const auto& grant = switched.grant;
  to.put(switch_partner,
         parameters{}.int4(switched.profile.value).text(grant.origin).boolean(grant.enabled).time(grant.changed_at));
}

statements_used sql_of<profile::partner_code_made>::used() { return {&make_partner_code, &switch_partner}; }
void sql_of<profile::partner_code_made>::add(const profile::partner_code_made& made, global_seq, batch_statements& to) {
  const auto& code = made.code;
  to.put(make_partner_code,
         parameters{}.bytes(code.hash).int4(made.profile.value).text(code.origin).time(made.at).time(code.expires_at));
  to.put(switch_partner, parameters{}.int4(made.profile.value).text(code.origin).boolean(true).time(made.at));
}

// -- reading -----------------------------------------------------------------------------

namespace {

// Of several profiles at once; each costs descents of indexes, whatever the plan around it.
constexpr auto access_sql =
  "SELECT k.place, NOT p.archived AS live, p.api_access FROM unnest($1::int4[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT archived, api_access FROM profiles WHERE id = k.id OFFSET 0) p";
// Whether the wallet that made it is somebody else's by now, or nobody's.
#define CREDENCE_WITHOUT_WALLET                                                                                        \
  "address IS NOT NULL AND NOT EXISTS (SELECT FROM addresses a JOIN profiles p ON p.user_id = a.user_id"               \
  " WHERE a.address = c.address AND p.id = c.profile_id)"
constexpr auto keys_sql =
  "SELECT k.place, t.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place), LATERAL (SELECT c.id::text AS key_id, "
  "address, name, token_hash,"
  " created_at, expires_at, last_used_at, array_to_string(scopes, ',') AS scopes, array_to_string(allowed_networks, "
  "',') AS "
  "networks, " CREDENCE_WITHOUT_WALLET
  " AS without_wallet FROM api_keys c WHERE profile_id = k.id AND revoked_at IS NULL ORDER BY created_at) t";
constexpr auto credential_sessions_sql =
  "SELECT k.place, t.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place), LATERAL (SELECT c.id::text AS session_id, "
  "refresh_hash,"
  " previous_hash, rotated_at, created_at, expires_at, address, partner_origin, " CREDENCE_WITHOUT_WALLET
  " AS without_wallet"
  " FROM sessions c WHERE profile_id = k.id AND ended_at IS NULL ORDER BY created_at) t";
#undef CREDENCE_WITHOUT_WALLET
constexpr auto revoked_sql = "SELECT k.place, r.id AS token_id FROM unnest($1::int4[]) WITH ORDINALITY k(id, place),"
                             " LATERAL (SELECT id FROM revoked_tokens WHERE profile_id = k.id OFFSET 0) r";
constexpr auto credential_nonces_sql =
  "SELECT k.place, u.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT address, nonce, expires_at FROM used_nonces WHERE profile_id = k.id OFFSET 0) u";

constexpr auto grants_sql =
  "SELECT k.place, g.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT origin, enabled, changed_at FROM partner_grants WHERE profile_id = k.id OFFSET 0) g";
constexpr auto credential_codes_sql =
  "SELECT k.place, c.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place),"
  " LATERAL (SELECT hash, origin, expires_at FROM partner_codes WHERE profile_id = k.id AND used_at IS NULL"
  " AND expires_at > now() ORDER BY expires_at) c";
constexpr auto partner_acts_sql =
  "SELECT number, at, act, subject, after FROM audit_log WHERE caller_id = $1::int4 AND credential LIKE 'partner %'"
  " AND split_part(credential, ' ', 2) = $2::text ORDER BY number DESC LIMIT $3::int4 OFFSET $4::int4";

} // namespace

profile::key_bounds key_bounds_of(std::optional<std::string_view> scopes, std::optional<std::string_view> networks) {
  profile::key_bounds out;
  if (scopes) {
    out.scopes.emplace();
    for (const auto& each : parted(*scopes))
      if (const auto known = scope_named(each))
        out.scopes->add(*known);
  }
  if (networks)
    out.networks = parted(*networks);
  return out;
}

namespace {

struct key_columns {
  const rows& in;
  places place{in};
  column<std::string> id{in, "key_id"};
  column<address> signer{in, "address"};
  column<std::string> name{in, "name"};
  column<digest32> token_hash{in, "token_hash"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> expires_at{in, "expires_at"};
  column<std::optional<timestamp>> last_used_at{in, "last_used_at"};
  column<std::optional<std::string_view>> scopes{in, "scopes"};
  column<std::optional<std::string_view>> networks{in, "networks"};
  column<bool> without_wallet{in, "without_wallet"};

  profile::api_key key(int row, profile_id owner) const {
    profile::api_key out{id[row], owner, signer[row], name[row], created_at[row], expires_at[row], last_used_at[row]};
    out.bounds = key_bounds_of(scopes[row], networks[row]);
    return out;
  }
};

struct session_columns {
  const rows& in;
  places place{in};
  column<std::string> id{in, "session_id"};
  column<digest32> refresh_hash{in, "refresh_hash"};
  column<std::optional<digest32>> previous_hash{in, "previous_hash"};
  column<timestamp> rotated_at{in, "rotated_at"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> expires_at{in, "expires_at"};
  column<std::optional<address>> signer{in, "address"};
  column<std::optional<std::string>> partner{in, "partner_origin"};
  column<bool> without_wallet{in, "without_wallet"};

  profile::session session(int row, profile_id owner) const {
    profile::session out{id[row],         owner,           refresh_hash[row], previous_hash[row],
                         rotated_at[row], created_at[row], expires_at[row]};
    out.signer = signer[row];
    out.partner = partner[row].value_or("");
    return out;
  }
};

using asked_for = std::span<const profile::load_credentials>;
using found_ones = std::vector<profile::stored_credentials>;

void add_access(found_ones& to, const rows& found) {
  const places place{found};
  const column<bool> live{found, "live"};
  const column<bool> api_access{found, "api_access"};
  for (int i = 0; i < found.count(); ++i) {
    auto& of = to.at(place[i]);
    of.live = live[i];
    of.api_access = api_access[i];
  }
}

void add_keys(found_ones& to, asked_for whose, const rows& found) {
  const key_columns keys{found};
  for (int i = 0; i < found.count(); ++i) {
    const auto place = keys.place[i];
    to.at(place).keys.emplace_back(keys.key(i, whose[place].profile), keys.token_hash[i]);
    if (keys.without_wallet[i])
      to[place].without_wallet.push_back(keys.id[i]);
  }
}

void add_sessions(found_ones& to, asked_for whose, const rows& found) {
  const session_columns sessions{found};
  for (int i = 0; i < found.count(); ++i) {
    const auto place = sessions.place[i];
    to.at(place).sessions.push_back(sessions.session(i, whose[place].profile));
    if (sessions.without_wallet[i])
      to[place].without_wallet.push_back(sessions.id[i]);
  }
}

void add_nonces(found_ones& to, const rows& found) {
  const places place{found};
  const column<address> signer{found, "address"};
  const column<std::string> nonce{found, "nonce"};
  const column<timestamp> expires_at{found, "expires_at"};
  for (int i = 0; i < found.count(); ++i)
    to.at(place[i]).nonces.push_back({signer[i], nonce[i], expires_at[i]});
}

void add_revoked(found_ones& to, const rows& found) {
  const places place{found};
  const column<std::string> token{found, "token_id"};
  for (int i = 0; i < found.count(); ++i)
    to.at(place[i]).revoked_tokens.push_back(token[i]);
}

void add_grants(found_ones& to, const rows& found) {
  const places place{found};
  const column<std::string> origin{found, "origin"};
  const column<bool> enabled{found, "enabled"};
  const column<timestamp> changed_at{found, "changed_at"};
  for (int i = 0; i < found.count(); ++i)
    to.at(place[i]).partners.grants.push_back({origin[i], enabled[i], changed_at[i]});
}

void add_codes(found_ones& to, const rows& found) {
  const places place{found};
  const column<digest32> hash{found, "hash"};
  const column<std::string> origin{found, "origin"};
  const column<timestamp> expires_at{found, "expires_at"};
  for (int i = 0; i < found.count(); ++i)
    to.at(place[i]).partners.codes.push_back({hash[i], origin[i], expires_at[i]});
}

} // namespace

std::vector<profile::stored_credentials> read(connection& on, std::span<const profile::load_credentials> whose,
                                              steady_time deadline) {
  found_ones out(whose.size());
  auto ids = ids_of(whose, &profile::load_credentials::profile);
  const auto find = [&](const char* sql) { return on.run(sql, parameters{}.array(ids), deadline); };
  transaction snapshot{on, deadline, begin_snapshot};
  add_access(out, find(access_sql));
  add_keys(out, whose, find(keys_sql));
  add_sessions(out, whose, find(credential_sessions_sql));
  add_nonces(out, find(credential_nonces_sql));
  add_revoked(out, find(revoked_sql));
  add_grants(out, find(grants_sql));
  add_codes(out, find(credential_codes_sql));
  snapshot.commit(deadline);
  return out;
}

std::vector<profile::partner_act> read(connection& on, const profile::list_partner_acts& which, steady_time deadline) {
  const auto found =
    on.run(partner_acts_sql,
           parameters{}.int4(which.profile.value).text(which.origin).int4(which.slice.limit).int4(which.slice.offset),
           deadline);
  const column<std::int64_t> number{found, "number"};
  const column<timestamp> at{found, "at"};
  const column<std::string> act{found, "act"};
  const column<std::string> subject{found, "subject"};
  const column<std::optional<std::string>> after{found, "after"};
  std::vector<profile::partner_act> out;
  for (int i = 0; i < found.count(); ++i)
    out.push_back({number[i], at[i], act[i], subject[i], after[i]});
  return out;
}

} // namespace credence::persistence
