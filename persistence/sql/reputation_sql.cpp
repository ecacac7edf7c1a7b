#include "persistence/sql/reputation_sql.hpp"

#include "persistence/sql/in_order.hpp"
#include "persistence/sql/review_sql.hpp"

namespace credence::persistence {

namespace {

constexpr auto last_ids_sql = "SELECT coalesce((SELECT max(id) FROM reviews WHERE source = 'api'), 0) AS last_review,"
                              " coalesce((SELECT max(id) FROM users), 0) AS last_user,"
                              " coalesce((SELECT max(id) FROM attestations), 0) AS last_attestation";

// Each look-up is a scalar subquery, which is one descent of an index whatever the plan around it.
constexpr auto profiles_sql = "SELECT k.id, (SELECT p.user_id FROM profiles p WHERE p.id = k.id) AS user_id,"
                              " (SELECT p.archived OR p.orphaned FROM profiles p WHERE p.id = k.id) AS archived,"
                              " (SELECT a.address FROM addresses a WHERE a.user_id = (SELECT p.user_id FROM profiles p WHERE p.id = k.id)"
                              "  ORDER BY a.kind <> 'primary', a.added_at, a.address LIMIT 1) AS address FROM unnest($1::int4[]) k(id)";

constexpr auto subjects_sql =
  "SELECT k.key, CASE octet_length(k.key) WHEN 20 THEN (SELECT a.user_id FROM addresses a WHERE a.address = k.key)"
  " WHEN 4 THEN (SELECT p.user_id FROM profiles p WHERE p.id = ('x' || encode(k.key, 'hex'))::bit(32)::int4)"
  " ELSE (SELECT a.user_id FROM attestations a WHERE a.service = k.service AND a.account = k.account AND NOT a.archived) END AS owner,"
  " (SELECT max(s.generation) FROM subjects s WHERE s.key = k.key) AS generation,"
  " (SELECT s.user_id FROM subjects s WHERE s.key = k.key ORDER BY s.generation DESC LIMIT 1) AS user_id"
  " FROM unnest($1::bytea[], $2::text[], $3::text[]) k(key, service, account)";

void add_profiles(reputation::stored_records& to, connection& on, const reputation::record_keys& keys, steady_time deadline) {
  if (keys.profiles.empty())
    return;
  auto ids = ids_of(keys.profiles);
  const auto found = on.run(profiles_sql, parameters{}.array(ids), deadline);
  const column<profile_id> id{found, "id"};
  const column<std::optional<user_id>> user{found, "user_id"}; // null: there is no such profile
  const column<std::optional<bool>> archived{found, "archived"};
  const column<std::optional<address>> primary{found, "address"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto whose = user[i])
      to.profiles.push_back({id[i], *whose, archived[i].value(), primary[i]});
}

void add_subjects(reputation::stored_records& to, connection& on, const reputation::record_keys& asked, steady_time deadline) {
  if (asked.subjects.empty())
    return;
  binary_array keys{sql_type::bytea}, services{sql_type::text}, accounts{sql_type::text};
  for (const auto& [key, name] : asked.subjects) {
    keys.bytes(key.bytes());
    if (name.account) {
      services.text(people::name_of(name.account->service));
      accounts.text(name.account->id);
    } else {
      services.null();
      accounts.null();
    }
  }
  const auto found = on.run(subjects_sql, parameters{}.array(keys).array(services).array(accounts), deadline);
  const column<std::string_view> key{found, "key"};
  const column<std::optional<user_id>> owner{found, "owner"};
  const column<std::optional<std::int32_t>> generation{found, "generation"};
  const column<std::optional<user_id>> user{found, "user_id"};
  for (int i = 0; i < found.count(); ++i)
    to.subjects.push_back({reputation::subject_key{std::as_bytes(std::span{key[i]})}, owner[i].value_or(user_id{}), generation[i].value_or(-1),
                           user[i].value_or(user_id{})});
}

} // namespace

const statement open_subject{"open_subject", "SELECT open_subject($1::bytea, $2::int4, $3::int4, $4::text, $5::text, $6::text, $7::text, $8::int4,"
                                             " $9::timestamptz)"};

parameters open_subject_with(const reputation::fresh_subject& fresh, timestamp at) {
  parameters out;
  out.bytes(fresh.name.key.bytes()).int4(fresh.generation).int4(fresh.user.value);
  if (const auto& account = fresh.name.account)
    out.text(people::name_of(account->service)).text(account->id);
  else
    out.null().null();
  if (const auto& made = fresh.placeholder)
    out.text(made->display_name).text(made->avatar_url).int4(made->attestation);
  else
    out.null().null().null();
  return out.time(at);
}

reputation::stored_records read(connection& on, const reputation::load_records& asked, steady_time deadline) {
  transaction snapshot{on, deadline, begin_snapshot};
  reputation::stored_records out;
  const auto last = on.run(last_ids_sql, deadline);
  out.last_review = last.first<review_id>("last_review");
  out.last_user = last.first<user_id>("last_user");
  out.last_attestation = last.first<std::int32_t>("last_attestation");
  add_profiles(out, on, asked.keys, deadline);
  add_subjects(out, on, asked.keys, deadline);
  out.reviews = read_reviews_here(on, asked.keys.reviews, deadline);
  snapshot.commit(deadline);
  return out;
}

} // namespace credence::persistence
