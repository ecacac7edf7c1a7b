#include "persistence/sql/lookup_sql.hpp"

#include "actors/domain/digest32.hpp"
#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/words.hpp"

#include <array>
#include <limits>
#include <unordered_map>

namespace credence::persistence {

namespace {

using form = people::lookup_key::form;

// Every look-up is a scalar subquery, which is one descent of an index whatever the plan
// around it: a plan is kept for the session, and a join or scan that was right for few
// rows would be kept for all. Handles are not unique, so the latest proof of one counts;
// the sum keeps the planner from walking the primary key backwards to find it.
constexpr auto find_sql =
  "WITH k AS MATERIALIZED ("
  " SELECT n, id AS user_id, 0 AS choice, NULL::int8 AS since FROM unnest($1::int4[], $2::int4[]) k(n, id)"
  " UNION ALL SELECT n, (SELECT p.user_id FROM profiles p WHERE p.id = k.id), 0, NULL"
  "  FROM unnest($3::int4[], $4::int4[]) k(n, id)"
  " UNION ALL SELECT n, (SELECT a.user_id FROM addresses a WHERE a.address = k.address), 0,"
  "  (SELECT a.since_block FROM addresses a WHERE a.address = k.address)"
  "  FROM unnest($5::int4[], $6::bytea[]) k(n, address)"
  " UNION ALL SELECT n, coalesce((SELECT p.user_id FROM profiles p WHERE p.id ="
  "   (SELECT w.profile_id FROM managed_wallets w WHERE w.address = k.address AND w.orphaned_at IS NULL)),"
  "   (SELECT a.user_id FROM addresses a WHERE a.address = k.address AND a.kind = 'embedded')), 0,"
  "  (SELECT a.since_block FROM addresses a WHERE a.address = k.address AND a.kind = 'embedded')"
  "  FROM unnest($7::int4[], $8::bytea[]) k(n, address)"
  " UNION ALL SELECT n, (SELECT a.user_id FROM attestations a"
  "   WHERE a.service = k.service AND a.account = k.account AND NOT a.archived), 0, (SELECT a.since_block FROM "
  "attestations a"
  "   WHERE a.service = k.service AND a.account = k.account AND NOT a.archived)"
  "  FROM unnest($9::int4[], $10::text[], $11::text[]) k(n, service, account)"
  " UNION ALL SELECT n, (SELECT a.user_id FROM attestations a"
  "   WHERE a.service = 'x.com' AND lower(a.username) = lower(k.handle) AND NOT a.archived"
  "   ORDER BY a.id + 0 DESC LIMIT 1), 1, (SELECT a.since_block FROM attestations a"
  "   WHERE a.service = 'x.com' AND lower(a.username) = lower(k.handle) AND NOT a.archived"
  "   ORDER BY a.id + 0 DESC LIMIT 1)"
  "  FROM unnest($12::int4[], $13::text[]) k(n, handle)"
  " UNION ALL SELECT n, (SELECT u.id FROM users u WHERE lower(u.username) = lower(k.username)), 0, NULL"
  "  FROM unnest($14::int4[], $15::text[]) k(n, username))"
  " SELECT k.n AS place, k.choice, u.id AS user_id, u.score,"
  " coalesce((SELECT a.balance FROM profiles p JOIN xp_accounts a ON a.id = p.id WHERE p.user_id = u.id), 0) AS "
  "xp_total,"
  " (SELECT p.id FROM profiles p WHERE p.user_id = u.id) AS profile_id,"
  " (SELECT CASE WHEN s.since > f.authority THEN s.since END FROM chain_follow f CROSS JOIN LATERAL (SELECT"
  "  greatest(k.since, (SELECT p.since_block FROM profiles p WHERE p.user_id = u.id)) AS since) s) AS unsettled"
  " FROM k CROSS JOIN LATERAL (SELECT id, score FROM users WHERE id = k.user_id LIMIT 1) u";

/// The keys of one form, each with its place among all.
struct keys_of_form {
  explicit keys_of_form(sql_type of) : values(of) {}
  binary_array places{sql_type::int4};
  binary_array values;
};

/// Keys sorted by form: the parameters of `find_sql`.
class sorted_keys {
public:
  explicit sorted_keys(const std::vector<people::lookup_key>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      add(static_cast<std::int32_t>(i), keys[i]);
  }

  parameters with() {
    parameters out;
    for (auto* each : {&users_, &profiles_, &addresses_, &embedded_})
      out.array(each->places).array(each->values);
    out.array(accounts_.places).array(services_).array(accounts_.values);
    for (auto* each : {&handles_, &usernames_})
      out.array(each->places).array(each->values);
    return out;
  }

private:
  void add(std::int32_t place, const people::lookup_key& key) {
    switch (key.how) {
      case form::user: return add_number(users_, place, key.number);
      case form::profile: return add_number(profiles_, place, key.number);
      case form::address: return add_text(addresses_, place, key.text);
      case form::embedded_wallet: return add_text(embedded_, place, key.text);
      case form::x_handle: return add_text(handles_, place, key.text);
      case form::username: return add_text(usernames_, place, key.text);
      case form::account: return add_account(place, key);
      case form::x_account_or_handle: add_account(place, key); return add_text(handles_, place, key.text);
    }
  }
  static void add_number(keys_of_form& to, std::int32_t place, std::int32_t number) {
    to.places.int4(place);
    to.values.int4(number);
  }
  static void add_text(keys_of_form& to, std::int32_t place, std::string_view text) {
    to.places.int4(place);
    to.values.text(text);
  }
  void add_account(std::int32_t place, const people::lookup_key& key) {
    add_text(accounts_, place, key.text);
    services_.text(people::name_of(key.service));
  }

  keys_of_form users_{sql_type::int4};
  keys_of_form profiles_{sql_type::int4};
  keys_of_form addresses_{sql_type::bytea};
  keys_of_form embedded_{sql_type::bytea};
  keys_of_form accounts_{sql_type::text};
  keys_of_form handles_{sql_type::text};
  keys_of_form usernames_{sql_type::text};
  binary_array services_{sql_type::text};
};

people::found_people find_here(connection& on, const std::vector<people::lookup_key>& keys, steady_time deadline) {
  sorted_keys sorted{keys};
  const auto found = on.run(find_sql, sorted.with(), deadline);
  const column<std::int32_t> place{found, "place"}; // counts from 0
  const column<std::int32_t> choice{found, "choice"};
  const column<user_id> user{found, "user_id"};
  const column<std::int32_t> score{found, "score"};
  const column<std::int64_t> xp_total{found, "xp_total"};
  const column<std::optional<profile_id>> profile{found, "profile_id"};
  const column<std::optional<std::int64_t>> unsettled{found, "unsettled"};
  people::found_people out{std::vector<people::found_person>(keys.size())};
  std::vector<std::int32_t> choices(keys.size(), std::numeric_limits<std::int32_t>::max());
  for (int i = 0; i < found.count(); ++i) {
    const auto at = static_cast<std::size_t>(place[i]);
    if (choice[i] >= choices[at])
      continue;
    choices[at] = choice[i];
    out.people[at] = {user[i], profile[i], score[i], xp_total[i], unsettled[i]};
  }
  return out;
}

/// Users by id, in the order asked; null where there is none.
std::vector<people::user_ptr> users_in_order(connection& on, const std::vector<user_id>& ids, steady_time deadline) {
  std::unordered_map<user_id, people::user_ptr> by_id;
  for (auto& each : read_users_here(on, ids, deadline))
    by_id.emplace(each->id, std::move(each));
  std::vector<people::user_ptr> out;
  out.reserve(ids.size());
  for (const auto id : ids) {
    const auto found = by_id.find(id);
    out.push_back(found == by_id.end() ? nullptr : found->second);
  }
  return out;
}

// -- a person's bundle -------------------------------------------------------------------

constexpr auto profile_sql = "SELECT id, archived, created_at, updated_at, invites_available, invited_by,"
                             " (SELECT i.user_id FROM profiles i WHERE i.id = p.invited_by) AS inviter"
                             " FROM profiles p WHERE user_id = $1::int4";
// A managed wallet is the profile's own also before its address is anybody's on a chain.
constexpr auto lookup_addresses_sql =
  "SELECT address, kind, managed FROM (SELECT a.address, a.kind, a.added_at, EXISTS (SELECT FROM managed_wallets w"
  "   WHERE w.address = a.address AND w.orphaned_at IS NULL AND w.profile_id = (SELECT p.id FROM profiles p WHERE "
  "p.user_id = $1::int4)) AS managed"
  "  FROM addresses a WHERE a.user_id = $1::int4"
  " UNION ALL SELECT w.address, 'embedded', w.created_at, true FROM managed_wallets w"
  "  WHERE w.orphaned_at IS NULL AND w.profile_id = (SELECT p.id FROM profiles p WHERE p.user_id = $1::int4)"
  "  AND NOT EXISTS (SELECT FROM addresses a WHERE a.address = w.address AND a.user_id = $1::int4)) t"
  " ORDER BY kind <> 'primary', added_at, address";
// An account that nobody has claimed is known, but nobody has attested it.
constexpr auto lookup_attestations_sql =
  "SELECT id, hash, archived, profile_id, service, account, created_at, username, url"
  " FROM attestations WHERE user_id = $1::int4 AND profile_id IS NOT NULL ORDER BY id";
constexpr auto lookup_roles_sql = "SELECT validator_acquired_at, verifier_blocked FROM users WHERE id = $1::int4";
constexpr auto names_sql = "SELECT username, change_observed_at FROM x_username_history WHERE user_id = $1::int4"
                           " ORDER BY change_observed_at DESC NULLS LAST, id DESC";

/// Fills in the profile; returns the inviter's user, or none.
std::optional<user_id> add_profile(people::user_bundle& to, const rows& from) {
  if (from.empty())
    return std::nullopt;
  auto& out = to.profile.emplace();
  out.id = from.first<profile_id>("id");
  out.archived = from.first<bool>("archived");
  out.created_at = from.first<timestamp>("created_at");
  out.updated_at = from.first<timestamp>("updated_at");
  out.invites_available = from.first<std::int32_t>("invites_available");
  out.invited_by = from.first<std::optional<profile_id>>("invited_by");
  return from.first<std::optional<user_id>>("inviter");
}

void add_addresses(people::user_bundle& to, const rows& found) {
  const column<address> which{found, "address"};
  const column<people::address_kind> kind{found, "kind"};
  const column<bool> managed{found, "managed"};
  for (int i = 0; i < found.count(); ++i)
    to.addresses.push_back({which[i], kind[i], managed[i]});
}

void add_attestations(people::user_bundle& to, const rows& found) {
  const column<std::int32_t> id{found, "id"};
  const column<digest32> hash{found, "hash"};
  const column<bool> archived{found, "archived"};
  const column<profile_id> profile{found, "profile_id"};
  const column<people::account_service> service{found, "service"};
  const column<std::string> account{found, "account"};
  const column<timestamp> created_at{found, "created_at"};
  const column<std::optional<std::string>> username{found, "username"};
  const column<std::optional<std::string>> url{found, "url"};
  for (int i = 0; i < found.count(); ++i) {
    people::attestation out;
    out.id = id[i];
    out.hash = hash[i];
    out.archived = archived[i];
    out.profile = profile[i];
    out.service = service[i];
    out.account = account[i];
    out.created_at = created_at[i];
    out.username = username[i];
    out.url = url[i];
    to.attestations.push_back(std::move(out));
  }
}

void add_names(people::user_bundle& to, const rows& found) {
  const column<std::string> username{found, "username"};
  const column<std::optional<timestamp>> observed_at{found, "change_observed_at"};
  for (int i = 0; i < found.count(); ++i)
    to.x_usernames.push_back({username[i], observed_at[i]});
}

people::bundle_ptr bundle_here(connection& on, user_id who, steady_time deadline) {
  auto out = std::make_shared<people::user_bundle>();
  const auto with = parameters{}.int4(who.value);
  const auto roles = on.run(lookup_roles_sql, with, deadline);
  out->validator_since = roles.first<std::optional<timestamp>>("validator_acquired_at");
  out->verifier_blocked = roles.first<bool>("verifier_blocked");
  const auto inviter = add_profile(*out, on.run(profile_sql, with, deadline));
  add_addresses(*out, on.run(lookup_addresses_sql, with, deadline));
  add_attestations(*out, on.run(lookup_attestations_sql, with, deadline));
  add_names(*out, on.run(names_sql, with, deadline));
  std::vector<user_id> users{who};
  if (inviter)
    users.push_back(*inviter);
  auto complete = users_in_order(on, users, deadline);
  out->user = std::move(complete.front());
  if (inviter)
    out->inviter = std::move(complete.back());
  return out;
}

} // namespace

people::found_people read(connection& on, const people::find_people& query, steady_time deadline) {
  return find_here(on, query.keys, deadline);
}

people::people_by_key read(connection& on, const people::get_people& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  std::vector<user_id> ids;
  for (const auto& each : find_here(on, query.keys, deadline).people)
    ids.push_back(each.user);
  people::people_by_key out{users_in_order(on, ids, deadline)};
  snapshot.commit(deadline);
  return out;
}

people::bundle_of read(connection& on, const people::get_bundle& query, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  people::bundle_of out;
  if (const auto who = find_here(on, {query.key}, deadline).people.front())
    out = {bundle_here(on, who.user, deadline), who.unsettled};
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
