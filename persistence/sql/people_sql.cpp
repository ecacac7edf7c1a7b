#include "persistence/sql/people_sql.hpp"

#include "actors/people/people_storage.hpp"

#include "config/limits.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace credence::persistence {

namespace {

// Two ordered scans that are merged here cost half of what the join costs there.
constexpr auto people_profiles_sql =
  "SELECT id, user_id, archived,"
  " CASE WHEN since_block > (SELECT authority FROM chain_follow) THEN since_block END AS unsettled"
  " FROM profiles WHERE id > $1::int4 ORDER BY id LIMIT $2::int4";
constexpr auto named_profiles_sql =
  "SELECT id, user_id, archived,"
  " CASE WHEN since_block > (SELECT authority FROM chain_follow) THEN since_block END AS unsettled"
  " FROM profiles WHERE id = ANY($1::int4[]) ORDER BY id";
constexpr auto scores_between_sql = "SELECT id, score FROM users WHERE id BETWEEN $1::int4 AND $2::int4 ORDER BY id";
constexpr auto scores_of_sql = "SELECT id, score FROM users WHERE id = ANY($1::int4[]) ORDER BY id";

constexpr auto users_of_sql = "SELECT user_id FROM profiles WHERE id = ANY($1::int4[])";

constexpr auto people_users_sql =
  "SELECT u.id, u.display_name, u.username, u.avatar_url, u.description, u.score, u.status,"
  " coalesce((SELECT a.balance FROM xp_accounts a WHERE a.id = p.id), 0) AS xp_total, u.xp_streak_days, "
  "u.xp_removed_due_to_abuse,"
  " u.influence_factor, u.influence_percentile, u.human_verification, u.validator_nft_count, u.holdings_wei::text AS "
  "holdings_wei,"
  " u.reviews_negative, u.reviews_neutral, u.reviews_positive, p.id AS profile_id"
  " FROM users u LEFT JOIN profiles p ON p.user_id = u.id WHERE u.id = ANY($1::int4[])";

constexpr auto people_vouches_sql = "SELECT user_id, token, given_wei::text AS given_wei, received_wei::text AS "
                                    "received_wei, given_count, received_count,"
                                    " lifetime_given_wei::text AS lifetime_given_wei, lifetime_received_wei::text AS "
                                    "lifetime_received_wei, lifetime_given_count,"
                                    " lifetime_received_count"
                                    " FROM user_vouches WHERE user_id = ANY($1::int4[])";

constexpr auto people_addresses_sql = "SELECT user_id, 'address:0x' || encode(address, 'hex') AS userkey FROM addresses"
                                      " WHERE user_id = ANY($1::int4[])"
                                      " ORDER BY user_id, kind <> 'primary', added_at, address";

constexpr auto people_accounts_sql =
  "SELECT user_id, 'service:' || service || ':' || account AS userkey FROM attestations"
  " WHERE user_id = ANY($1::int4[]) AND NOT archived ORDER BY user_id, id";

using people::user;
constexpr auto user_fields = CREDENCE_FIELDS(
  user, id, display_name, username, avatar_url, description, score, status, xp_total, xp_streak_days,
  xp_removed_due_to_abuse, influence_factor, influence_percentile, (human_verification, verification),
  validator_nft_count, holdings_wei, reviews_negative, reviews_neutral, reviews_positive, (profile_id, profile));

using users_by_id = std::unordered_map<std::int32_t, std::shared_ptr<user>>;

void add_vouches(users_by_id& to, const rows& found) {
  const column<std::int32_t> user{found, "user_id"};
  const column<std::string_view> token{found, "token"};
  using of = people::token_vouches;
  const auto now =
    records_in(found, CREDENCE_FIELDS(of, (given_wei, given), (received_wei, received), given_count, received_count));
  const auto lifetime =
    records_in(found, CREDENCE_FIELDS(of, (lifetime_given_wei, given), (lifetime_received_wei, received),
                                      (lifetime_given_count, given_count), (lifetime_received_count, received_count)));
  for (int i = 0; i < found.count(); ++i) {
    auto& whose = *to.at(user[i]);
    if (token[i] != "eth") {
      whose.vouches_whuf = now[i];
      continue;
    }
    whose.vouches_eth = now[i];
    whose.vouch_lifetime = lifetime[i];
  }
}

void add_userkeys(users_by_id& to, const rows& found) {
  const column<std::int32_t> user{found, "user_id"};
  const column<std::string> key{found, "userkey"};
  for (int i = 0; i < found.count(); ++i)
    to.at(user[i])->userkeys.push_back(key[i]);
}

rows scores_of(connection& on, const rows& profiles, steady_time deadline) {
  const auto users = profiles.all<user_id>("user_id");
  const auto [least, most] = std::minmax_element(users.begin(), users.end());
  const auto span = std::int64_t{most->value} - least->value;
  if (span < 2 * std::int64_t{profiles.count()} + 1000)
    return on.run(scores_between_sql, with(*least, *most), deadline);
  return on.run(scores_of_sql, with(array_of(users)), deadline);
}

/// The scores of the users behind a page of profiles, in order of user.
class score_list {
public:
  score_list(connection& on, const rows& profiles, steady_time deadline) : found_(scores_of(on, profiles, deadline)) {}

  /// `near` is where the one before was found: users mostly come in the order of profiles.
  std::int16_t of(user_id user, int& near) const {
    if (near + 1 < found_.count() && user_[near + 1] == user)
      ++near;
    else
      near = search(user);
    return static_cast<std::int16_t>(score_[near]);
  }

private:
  int search(user_id user) const {
    int low = 0;
    for (int high = found_.count(); low < high;) {
      const int middle = low + (high - low) / 2;
      if (user_[middle] < user)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  rows found_;
  column<user_id> user_{found_, "id"};
  column<std::int32_t> score_{found_, "score"};
};

} // namespace

/// The short rows of profiles above `query.after`, or of those named, in order of id.
people::stored_people read(connection& on, const people::load_people& query, steady_time deadline) {
  people::stored_people out;
  const read_snapshot snapshot{on, deadline};
  const auto profiles = query.named.empty() ? on.run(people_profiles_sql, with(query.after, query.limit), deadline)
                                            : on.run(named_profiles_sql, with(array_of(query.named)), deadline);
  if (!profiles.empty()) {
    const score_list scores{on, profiles, deadline};
    const column<profile_id> id{profiles, "id"};
    const column<user_id> user{profiles, "user_id"};
    const column<bool> archived{profiles, "archived"};
    const column<std::optional<std::int64_t>> unsettled{profiles, "unsettled"};
    out.rows.reserve(static_cast<std::size_t>(profiles.count()));
    int near = 0;
    for (int i = 0; i < profiles.count(); ++i)
      out.rows.push_back({id[i], scores.of(user[i], near), !archived[i], unsettled[i]});
  }
  return out;
}
// a page of the table that admits voters
load_handler handler(asked<people::load_people> it) { return reads<load_by_key, people::storage>(it); }

std::vector<people::user_ptr> read_users_here(connection& on, const std::vector<user_id>& users, steady_time deadline) {
  const auto ids = with(array_of(users));
  users_by_id by_id;
  std::vector<people::user_ptr> out;
  const auto heads = on.run(people_users_sql, ids, deadline);
  const auto from = records_in(heads, user_fields);
  for (int i = 0; i < heads.count(); ++i) {
    auto fresh = std::make_shared<user>(from[i]);
    if (fresh->profile)
      fresh->userkeys.push_back("profileId:" + std::to_string(fresh->profile->value));
    if (by_id.emplace(fresh->id.value, fresh).second)
      out.push_back(std::move(fresh));
  }
  add_vouches(by_id, on.run(people_vouches_sql, ids, deadline));
  add_userkeys(by_id, on.run(people_addresses_sql, ids, deadline));
  add_userkeys(by_id, on.run(people_accounts_sql, ids, deadline));
  return out;
}

/// Complete users with these ids; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  return {read_users_here(on, query.users, deadline)};
}
load_handler handler(asked<people::load_users> it) { return reads<load_by_key, people::storage>(it); }

/// Complete users of these profiles; those that are there, one snapshot.
people::stored_users read(connection& on, const people::load_users_of& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto owners = on.run(users_of_sql, with(array_of(query.profiles)), deadline);
  return {read_users_here(on, owners.all<user_id>("user_id"), deadline)};
}
load_handler handler(asked<people::load_users_of> it) { return reads<load_by_key, people::storage>(it); }

// -- by what others know of them ---------------------------------------------------------------

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

/// The parameters of `find_sql`: for each form of keys their places among all, and the keys.
parameters sorted_by_form(const std::vector<people::lookup_key>& keys) {
  parameters out;
  const auto add = [&](std::initializer_list<form> forms, sql_type stored, bool by_service = false) {
    binary_array places{sql_type::int4}, services{sql_type::text}, values{stored};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto& key = keys[i];
      if (std::find(forms.begin(), forms.end(), key.how) == forms.end())
        continue;
      places.int4(static_cast<std::int32_t>(i));
      services.text(people::name_of(key.service));
      if (stored == sql_type::int4)
        values.int4(key.number);
      else
        values.text(key.text);
    }
    detail::put_parameter(out, places);
    if (by_service)
      detail::put_parameter(out, services);
    detail::put_parameter(out, values);
  };
  add({form::user}, sql_type::int4);
  add({form::profile}, sql_type::int4);
  add({form::address}, sql_type::bytea);
  add({form::embedded_wallet}, sql_type::bytea);
  add({form::account, form::x_account_or_handle}, sql_type::text, true);
  add({form::x_handle, form::x_account_or_handle}, sql_type::text);
  add({form::username}, sql_type::text);
  return out;
}

using people::found_person;
constexpr auto found_fields =
  CREDENCE_FIELDS(found_person, (user_id, user), (profile_id, profile), score, xp_total, unsettled);

people::found_people find_here(connection& on, const std::vector<people::lookup_key>& keys, steady_time deadline) {
  const auto found = on.run(find_sql, sorted_by_form(keys), deadline);
  const column<std::int32_t> place{found, "place"}; // counts from 0
  const column<std::int32_t> choice{found, "choice"};
  const auto person = records_in(found, found_fields);
  people::found_people out{std::vector<found_person>(keys.size())};
  std::vector<std::int32_t> choices(keys.size(), std::numeric_limits<std::int32_t>::max());
  for (int i = 0; i < found.count(); ++i) {
    const auto at = static_cast<std::size_t>(place[i]);
    if (choice[i] >= choices[at])
      continue;
    choices[at] = choice[i];
    out.people[at] = person[i];
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

using people::attestation;
using people::owned_address;
using people::x_username;
constexpr auto owned_fields = CREDENCE_FIELDS(owned_address, address, kind, managed);
constexpr auto attestation_fields =
  CREDENCE_FIELDS(attestation, id, hash, archived, (profile_id, profile), service, account, created_at, username, url);
constexpr auto name_fields = CREDENCE_FIELDS(x_username, username, change_observed_at);

people::bundle_ptr bundle_here(connection& on, user_id who, steady_time deadline) {
  auto out = std::make_shared<people::user_bundle>();
  const auto find = [&, whose = with(who)](const char* sql) { return on.run(sql, whose, deadline); };
  const auto roles = find(lookup_roles_sql);
  out->validator_since = roles.first<std::optional<timestamp>>("validator_acquired_at");
  out->verifier_blocked = roles.first<bool>("verifier_blocked");
  const auto profile = find(profile_sql);
  out->profile = first_of(profile, profile_fields);
  const auto inviter = profile.empty() ? std::nullopt : profile.first<std::optional<user_id>>("inviter");
  out->addresses = all_of(find(lookup_addresses_sql), owned_fields);
  out->attestations = all_of(find(lookup_attestations_sql), attestation_fields);
  out->x_usernames = all_of(find(names_sql), name_fields);
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

/// Whom each key leads to, in the order asked: one statement for all of them.
people::found_people read(connection& on, const people::find_people& query, steady_time deadline) {
  return find_here(on, query.keys, deadline);
}
load_handler handler(asked<people::find_people> it) { return reads<load_by_key, people::storage>(it); }

/// The complete user of each key, in the order asked, null where there is none; one snapshot.
people::people_by_key read(connection& on, const people::get_people& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  std::vector<user_id> ids;
  for (const auto& each : find_here(on, query.keys, deadline).people)
    ids.push_back(each.user);
  people::people_by_key out{users_in_order(on, ids, deadline)};
  return out;
}
load_handler handler(asked<people::get_people> it) { return reads<load_by_key, people::storage>(it); }

/// Everything about the person of one key; one snapshot.
people::bundle_of read(connection& on, const people::get_bundle& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  people::bundle_of out;
  if (const auto who = find_here(on, {query.key}, deadline).people.front())
    out = {bundle_here(on, who.user, deadline), who.unsettled};
  return out;
}
load_handler handler(asked<people::get_bundle> it) { return reads<load_by_key, people::storage>(it); }

// -- by something like their names --------------------------------------------------------------

namespace {

// The trigram index finds who is alike, and everybody whose name begins with the text is
// (a beginning shares two thirds of its trigrams). Text without a letter or digit has no
// trigrams; the index would then yield all rows, so it is not asked. The very username
// comes by its own index, so that the bound on matches never loses it. What kind of key
// somebody has is a scalar subquery: never a scan of another table.
constexpr auto search_sql =
  "WITH alike AS MATERIALIZED ("
  " SELECT u.id, u.score, lower(u.username) AS username, lower(u.display_name) AS name FROM users u"
  "  WHERE cardinality(show_trgm(lower($1::text))) > 0"
  "  AND (lower($1::text) <% lower(u.username) OR lower($1::text) <% lower(u.display_name))"
  "  AND u.status <> 'MERGED'"
  "  AND CASE $2::text WHEN '' THEN true"
  "   WHEN 'address' THEN (SELECT true FROM addresses a WHERE a.user_id = u.id LIMIT 1)"
  "   WHEN 'profileId' THEN (SELECT true FROM profiles p WHERE p.user_id = u.id)"
  "   ELSE (SELECT true FROM attestations t WHERE t.user_id = u.id AND t.service = $2::text AND NOT t.archived"
  "    LIMIT 1) END"
  "  LIMIT $3::int4),"
  " matches AS MATERIALIZED (SELECT * FROM alike"
  "  UNION ALL SELECT u.id, u.score, lower(u.username), lower(u.display_name) FROM users u"
  "   WHERE $2::text = '' AND lower(u.username) = lower($1::text) AND u.status <> 'MERGED'"
  "   AND u.id NOT IN (SELECT id FROM alike)),"
  " ranked AS (SELECT *, CASE WHEN username = lower($1::text) THEN 0"
  "   WHEN starts_with(username, lower($1::text)) OR starts_with(name, lower($1::text)) THEN 1 ELSE 2 END AS tier"
  "  FROM matches),"
  " slice AS (SELECT id, row_number() OVER (ORDER BY tier, CASE WHEN tier = 2"
  "   THEN greatest(similarity(username, lower($1::text)), similarity(name, lower($1::text))) END DESC,"
  "   score DESC, id) AS place FROM ranked ORDER BY place LIMIT $4::int4 OFFSET $5::int4)"
  " SELECT (SELECT count(*) FROM matches) AS total, s.id FROM (SELECT 1) one LEFT JOIN slice s ON true ORDER BY "
  "s.place";

constexpr std::array<std::string_view, 7> key_types{"address", "profileId", "discord", "farcaster",
                                                    "github",  "telegram",  "x.com"};

} // namespace

/// A page of those whose names match best; one snapshot.
people::people_page read(connection& on, const people::search_people& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found = on.run(search_sql,
                            with(query.text, query.having ? key_types[static_cast<std::size_t>(*query.having)] : "",
                                 limits::search_matches_max, query.slice.limit, query.slice.offset),
                            deadline);
  people::people_page out;
  out.total = found.first<std::int64_t>("total");
  out.users = users_in_order(on, found.all<user_id>("id"), deadline);
  return out;
}
load_handler handler(asked<people::search_people> it) { return reads<search, people::storage>(it); }

} // namespace credence::persistence
