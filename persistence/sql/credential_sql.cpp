#include "actors/profile/credentials.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <algorithm>

/// API keys, sessions and nonces.
namespace credence::persistence {

namespace {

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

} // namespace

fact_sql_ptr sql_of(kind<profile::key_created> it) {
  return written_by(it, {&use_nonce, &create_key}, [](const auto& made, global_seq, batch_statements& to) {
    const auto& key = made.key;
    const auto& bounds = key.bounds;
    put_nonce(to, made.by, key.profile, key.created_at);
    to.put(create_key, with(key.id, key.profile, key.signer, key.name, made.token_hash, key.created_at, key.expires_at,
                            bounds.scopes ? std::optional{names_of(*bounds.scopes)} : std::nullopt,
                            bounds.networks.empty() ? std::nullopt : std::optional{joined(bounds.networks)}));
  });
}
fact_sql_ptr sql_of(kind<profile::key_revoked> it) { return written_in_turn(it, revoke_key); }

/// When keys were last used, of one batch.
fact_sql_ptr sql_of(kind<profile::keys_used>) {
  class uses final : public sql_of_kind<profile::keys_used> {
  public:
    using sql_of_kind::sql_of_kind;
    void clear() override { uses_.clear(); }
    void finish(batch_statements& to) override {
      if (!uses_.empty())
        to.borrow(stamp_keys, uses_.finish());
    }

  private:
    void write(const profile::keys_used& change, global_seq, batch_statements&) override {
      for (const auto& each : change.uses)
        uses_.add(each);
    }
    fact_columns<profile::keys_used::use> uses_;
  };
  return std::make_unique<uses>(statements_used{&stamp_keys});
}

fact_sql_ptr sql_of(kind<profile::session_opened> it) {
  return written_by(it, {&use_nonce, &use_code, &end_sessions, &open_session},
                    [](const auto& fresh, global_seq, batch_statements& to) {
                      const auto& opened = fresh.opened;
                      if (fresh.by)
                        put_nonce(to, *fresh.by, opened.profile, opened.created_at);
                      if (fresh.code)
                        to.put(use_code, with(*fresh.code, opened.profile, opened.created_at));
                      if (fresh.in_place_of)
                        to.put(end_sessions, with(*fresh.in_place_of, opened.created_at));
                      auto asked = with(opened.id, opened.profile);
                      detail::put_columns<profile::session>([&]() -> parameters& { return asked; }, opened, 0);
                      to.put(open_session, std::move(asked));
                    });
}
fact_sql_ptr sql_of(kind<profile::nonce_used> it) {
  return written_by(it, {&use_nonce}, [](const auto& used, global_seq, batch_statements& to) {
    put_nonce(to, used.by, used.profile, used.at);
  });
}
fact_sql_ptr sql_of(kind<profile::session_rotated> it) { return written_in_turn(it, rotate_session); }
fact_sql_ptr sql_of(kind<profile::sessions_ended> it) {
  return written_by(it, {&end_sessions}, [](const auto& ended, global_seq, batch_statements& to) {
    to.put(end_sessions, with(joined(ended.ids), ended.at));
  });
}
fact_sql_ptr sql_of(kind<profile::partner_switched> it) { return written_in_turn(it, switch_partner); }
fact_sql_ptr sql_of(kind<profile::partner_code_made> it) {
  return written_by(it, {&make_partner_code, &switch_partner}, [](const auto& made, global_seq, batch_statements& to) {
    const auto& code = made.code;
    to.put(make_partner_code, with(code.hash, made.profile, code.origin, made.at, code.expires_at));
    to.put(switch_partner, with(made.profile, code.origin, true, made.at));
  });
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
// Whoever makes keys that expire at once has any number of these: what holds, and what expired last, is found by an
// index in that order.
static_assert(profile::credentials::keys_max == 100, "the text below says so");
constexpr auto keys_sql =
  "SELECT k.place, t.* FROM unnest($1::int4[]) WITH ORDINALITY k(id, place), LATERAL (SELECT c.id::text AS key_id, "
  "address, name, token_hash,"
  " created_at, expires_at, last_used_at, array_to_string(scopes, ',') AS scopes, array_to_string(allowed_networks, "
  "',') AS "
  "networks, " CREDENCE_WITHOUT_WALLET
  " AS without_wallet FROM (SELECT * FROM api_keys WHERE profile_id = k.id AND revoked_at IS NULL"
  "  ORDER BY expires_at DESC LIMIT 100) c ORDER BY created_at) t";
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

/// What a key was narrowed to, from lists with commas; null: nothing was.
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
  auto keys = keys_in(found);
  const places place{found};
  const column<digest32> token_hash{found, "token_hash"};
  const column<bool> without_wallet{found, "without_wallet"};
  for (int i = 0; i < found.count(); ++i) {
    auto& key = keys[static_cast<std::size_t>(i)];
    auto& of = to.at(place[i]);
    key.profile = whose[place[i]].profile;
    if (without_wallet[i])
      of.without_wallet.push_back(key.id);
    of.keys.emplace_back(std::move(key), token_hash[i]);
  }
}

void add_sessions(found_ones& to, asked_for whose, const rows& found) {
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(profile::session, (session_id, id), previous_hash), part<profile::session>::fields);
  const auto sessions = records_in(found, fields);
  const places place{found};
  const column<bool> without_wallet{found, "without_wallet"};
  for (int i = 0; i < found.count(); ++i) {
    auto session = sessions[i];
    auto& of = to.at(place[i]);
    session.profile = whose[place[i]].profile;
    if (without_wallet[i])
      of.without_wallet.push_back(session.id);
    of.sessions.push_back(std::move(session));
  }
}

/// Puts each row into a list of its profile.
template <class ListOf, class... Get>
void add_to(found_ones& to, const rows& found, const field_list<Get...>& fields, ListOf list_of) {
  const auto records = records_in(found, fields);
  const places place{found};
  for (int i = 0; i < found.count(); ++i)
    list_of(to.at(place[i])).push_back(records[i]);
}

void add_revoked(found_ones& to, const rows& found) {
  const places place{found};
  const column<std::string> token{found, "token_id"};
  for (int i = 0; i < found.count(); ++i)
    to.at(place[i]).revoked_tokens.push_back(token[i]);
}

} // namespace

std::vector<profile::api_key> keys_in(const rows& found) {
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(profile::api_key, (key_id, id)), part<profile::api_key>::fields);
  auto out = all_of(found, fields);
  const column<std::optional<std::string_view>> scopes{found, "scopes"}, networks{found, "networks"};
  for (int i = 0; i < found.count(); ++i)
    out[static_cast<std::size_t>(i)].bounds = key_bounds_of(scopes[i], networks[i]);
  return out;
}

/// Keys and sessions that hold and nonces that were used, in the order asked, of one snapshot.
std::vector<profile::stored_credentials> read(connection& on, std::span<const profile::load_credentials> whose,
                                              steady_time deadline) {
  found_ones out(whose.size());
  using found_for = profile::stored_credentials;
  const auto ids = with(array_of(whose, &profile::load_credentials::profile));
  const auto find = [&](const char* sql) { return on.run(sql, ids, deadline); };
  const read_snapshot snapshot{on, deadline};
  add_access(out, find(access_sql));
  add_keys(out, whose, find(keys_sql));
  add_sessions(out, whose, find(credential_sessions_sql));
  add_to(
    out, find(credential_nonces_sql), part<profile::signed_nonce>::fields,
    [](found_for & of) -> auto& { return of.nonces; });
  add_revoked(out, find(revoked_sql));
  add_to(
    out, find(grants_sql), part<profile::partner_grant>::fields,
    [](found_for & of) -> auto& { return of.partners.grants; });
  add_to(
    out, find(credential_codes_sql), part<profile::partner_code>::fields,
    [](found_for & of) -> auto& { return of.partners.codes; });
  return out;
}
load_handler handler(asked<profile::load_credentials> it) { return reads<load_in_groups, profile::storage>(it); }

/// What a partner did for a profile, newest first.
std::vector<profile::partner_act> read(connection& on, const profile::list_partner_acts& which, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(profile::partner_act, number, at, act, subject, (after, detail));
  return all_of(
    on.run(partner_acts_sql, with(which.profile, which.origin, which.slice.limit, which.slice.offset), deadline),
    fields);
}
load_handler handler(asked<profile::list_partner_acts> it) { return reads<list_a_page, profile::storage>(it); }

} // namespace credence::persistence
