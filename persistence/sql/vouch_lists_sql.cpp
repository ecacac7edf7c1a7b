#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <array>
#include <string>

namespace credence::persistence {

namespace {

using vouch_list = reputation::list_vouches::answer_type;
using user_list = reputation::list_mutual_vouchers::answer_type;

constexpr auto vouch_fees_sql =
  "SELECT max(value::int4) FILTER (WHERE name = 'entryProtocolFeeBasisPoints') AS protocol,"
  " max(value::int4) FILTER (WHERE name = 'entryDonationFeeBasisPoints') AS donation,"
  " max(value::int4) FILTER (WHERE name = 'entryVouchersPoolFeeBasisPoints') AS pool,"
  " max(value::int4) FILTER (WHERE name = 'exitFeeBasisPoints') AS exit"
  " FROM chain_params WHERE contract = 'vouch' AND name LIKE '%BasisPoints'";

using reputation::vouch_contract;
using reputation::vouch_order;

static_assert(limits::list_depth_max == 10'000, "the texts below say so");

/// Where the vouches come from: by id, a run of each author or subject, or a run of all.
enum class vouch_source : std::uint8_t { ids, authors, subjects, all };

std::string runs_of(vouch_source source, const std::string& direction) {
  const std::string columns = "SELECT v.contract, v.number, v.author_profile, v.subject_key, v.subject_generation, "
                              "v.balance, v.vouched_at, v.unvouched_at,"
                              " v.unhealthy_at FROM vouches v WHERE v.vouched_at >= coalesce($8::timestamptz, "
                              "'-infinity') AND ";
  const auto run = [&](const std::string& from, const std::string& whose) {
    return "SELECT r.* FROM " + from + "unnest($4::boolean[]) k(archived) CROSS JOIN LATERAL (" + columns + whose
           + "v.archived = k.archived AND v.contract = ANY($7::text[]) ORDER BY v.vouched_at " + direction
           + ", v.number " + direction + " LIMIT 10000) r";
  };
  switch (source) {
    case vouch_source::ids:
      return columns
             + "v.contract = ANY($7::text[]) AND v.number = ANY($1::int4[]) AND v.archived = ANY($4::boolean[])";
    case vouch_source::authors: return run("unnest($2::int4[]) a(id) CROSS JOIN ", "v.author_profile = a.id AND ");
    case vouch_source::subjects:
      return run("(SELECT key, generation FROM subjects WHERE user_id = ANY($3::int4[])) s CROSS JOIN ",
                 "v.subject_key = s.key AND v.subject_generation = s.generation AND ");
    case vouch_source::all: break;
  }
  return run("", "");
}

std::string listing_sql(vouch_source source, vouch_order order, bool ascending) {
  const std::string direction = ascending ? "ASC" : "DESC";
  // What is ranked by something else is ranked among the newest.
  const std::string run_direction = order == vouch_order::vouched ? direction : "DESC";
  constexpr std::array<const char*, 3> ranks{"vouched_at", "greatest(vouched_at, unvouched_at, unhealthy_at)",
                                             "balance"};
  const auto by = std::string{ranks[static_cast<std::size_t>(order)]} + " " + direction + ", number " + direction;
  return "WITH given AS (SELECT $1::int4[], $2::int4[], $3::int4[])," // used or not
         " runs AS ("
         + runs_of(source, run_direction) + "), newest AS (SELECT * FROM runs ORDER BY vouched_at " + run_direction
         + ", number " + run_direction
         + " LIMIT 10000),"
           " matching AS MATERIALIZED (SELECT n.* FROM newest n WHERE ($1::int4[] IS NULL OR n.number = "
           "ANY($1::int4[]))"
           " AND ($2::int4[] IS NULL OR n.author_profile = ANY($2::int4[]))"
           " AND ($3::int4[] IS NULL OR (SELECT s.user_id FROM subjects s WHERE s.key = n.subject_key AND s.generation "
           "= n.subject_generation)"
           "  = ANY($3::int4[]))),"
           " page AS (SELECT contract, number, row_number() OVER (ORDER BY "
         + by + ", contract) AS place FROM matching ORDER BY " + by
         + ", contract"
           " LIMIT $5::int4 OFFSET $6::int4)"
           " SELECT t.n AS total, p.number, p.contract = 'vouchV2' AS second FROM (SELECT count(*) AS n FROM matching) "
           "t LEFT JOIN page p ON true "
           "ORDER BY p.place";
}

const char* listing_sql(const reputation::list_vouches& query) {
  static const auto texts = [] {
    std::array<std::string, 4 * 3 * 2> out;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = listing_sql(static_cast<vouch_source>(i / 6), static_cast<vouch_order>(i / 2 % 3), i % 2 != 0);
    return out;
  }();
  const auto source = query.ids        ? vouch_source::ids
                      : query.authors  ? vouch_source::authors
                      : query.subjects ? vouch_source::subjects
                                       : vouch_source::all;
  return texts[static_cast<std::size_t>(source) * 6 + static_cast<std::size_t>(query.order) * 2
               + (query.ascending ? 1 : 0)]
    .c_str();
}

// Whoever has these accounts: who proved it, or else whom records are about that name nothing but its hash.
constexpr auto account_owners_sql =
  "SELECT o.user_id FROM unnest($1::bytea[]) k(hash) CROSS JOIN LATERAL (SELECT coalesce("
  "(SELECT a.user_id FROM attestations a WHERE a.hash = k.hash AND NOT a.archived ORDER BY a.id + 0 DESC LIMIT 1),"
  " (SELECT s.user_id FROM subjects s WHERE s.key = k.hash ORDER BY s.generation DESC LIMIT 1)) AS user_id) o"
  " WHERE o.user_id IS NOT NULL";

// The active vouch back: by the profile of the subject for the user of the author.
constexpr auto vouch_back_sql =
  "SELECT k.place, m.number FROM unnest($1::int4[], $2::int4[], $3::boolean[]) WITH ORDINALITY k(author, subject, "
  "second, place)"
  " CROSS JOIN LATERAL (SELECT v.number FROM (SELECT s.key, s.generation FROM subjects s WHERE s.user_id ="
  "  (SELECT p.user_id FROM profiles p WHERE p.id = k.author)) s CROSS JOIN LATERAL (SELECT v.number, v.vouched_at "
  "FROM vouches v"
  "  WHERE v.author_profile = (SELECT p.id FROM profiles p WHERE p.user_id = k.subject) AND v.subject_key = s.key"
  "  AND v.subject_generation = s.generation AND NOT v.archived AND (v.contract = 'vouchV2') = k.second"
  "  ORDER BY v.vouched_at DESC, v.number DESC LIMIT 1) v ORDER BY v.vouched_at DESC, v.number DESC LIMIT 1) m";

// Of a user: whom active vouches of theirs are for, and of whom active vouches for them are.
#define CREDENCE_VOUCHED_BY(user)                                                                                      \
  "SELECT s.user_id FROM vouches v JOIN subjects s ON s.key = v.subject_key AND s.generation = v.subject_generation"   \
  " WHERE v.author_profile = (SELECT p.id FROM profiles p WHERE p.user_id = " user ") AND NOT v.archived"
#define CREDENCE_VOUCHERS_OF(user)                                                                                     \
  "SELECT (SELECT p.user_id FROM profiles p WHERE p.id = v.author_profile) AS user_id FROM (SELECT key, generation "   \
  "FROM subjects"                                                                                                      \
  " WHERE user_id = " user ") s CROSS JOIN LATERAL (SELECT author_profile FROM vouches v WHERE v.subject_key = s.key"  \
  " AND v.subject_generation = s.generation AND NOT v.archived ORDER BY v.vouched_at DESC, v.number DESC LIMIT "       \
  "10000) v"

constexpr auto mutual_sql =
  "WITH both_ways AS MATERIALIZED (" CREDENCE_VOUCHED_BY("$1::int4") " INTERSECT " CREDENCE_VOUCHERS_OF(
    "$2::int4") "), page AS (SELECT user_id FROM both_ways ORDER BY user_id LIMIT $3::int4 OFFSET $4::int4)"
                " SELECT t.n AS total, p.user_id FROM (SELECT count(*) AS n FROM both_ways) t LEFT JOIN page p ON true "
                "ORDER BY p.user_id";

constexpr auto vouch_lists_sums_sql = "WITH back AS MATERIALIZED (" CREDENCE_VOUCHERS_OF(
  "$1::int4") "), given AS MATERIALIZED (SELECT s.user_id, v.token, v.staked, v.balance FROM vouches v JOIN subjects s "
              "ON s.key = v.subject_key"
              "  AND s.generation = v.subject_generation WHERE v.author_profile = (SELECT p.id FROM profiles p WHERE "
              "p.user_id = $1::int4)"
              "  AND NOT v.archived),"
              " received AS (SELECT v.staked FROM (SELECT key, generation FROM subjects WHERE user_id = $1::int4) s "
              "CROSS JOIN LATERAL"
              "  (SELECT staked FROM vouches v WHERE v.subject_key = s.key AND v.subject_generation = s.generation AND "
              "NOT v.archived"
              "   AND v.token = 'eth' ORDER BY v.vouched_at DESC, v.number DESC LIMIT 10000) v)"
              " SELECT count(DISTINCT user_id) FILTER (WHERE mutual) AS mutual,"
              " coalesce(sum(staked) FILTER (WHERE mutual AND token = 'eth'), 0) AS mutual_staked,"
              " coalesce(sum(balance) FILTER (WHERE mutual AND token = 'eth'), 0) AS mutual_balance,"
              " coalesce(sum(staked) FILTER (WHERE token = 'eth'), 0) AS given_staked,"
              " (SELECT coalesce(sum(staked), 0) FROM received) AS received_staked"
              " FROM (SELECT g.*, g.user_id IN (SELECT user_id FROM back) AS mutual FROM given g) g";

constexpr auto between_sql = "WITH written AS MATERIALIZED (SELECT r.id, r.created_at FROM (SELECT key, generation "
                             "FROM subjects WHERE user_id = $2::int4) s"
                             " CROSS JOIN LATERAL (SELECT r.id, r.created_at FROM reviews r WHERE r.author_profile = "
                             "(SELECT p.id FROM profiles p WHERE p.user_id = $1::int4)"
                             "  AND r.subject_key = s.key AND r.subject_generation = s.generation AND NOT r.archived "
                             "ORDER BY r.created_at DESC, r.id DESC LIMIT 10000) r)"
                             " SELECT count(*) AS written, (SELECT id FROM written ORDER BY created_at DESC, id DESC "
                             "LIMIT 1) AS latest FROM written";

/// Ids as an array parameter, or null where there is no such filter.
template <class Id>
std::optional<binary_array> filter_by(const std::optional<std::vector<Id>>& ids) {
  return ids ? std::optional{array_of(*ids)} : std::nullopt;
}

/// Tells each vouch of a page that stands its vouch back.
void add_mutual(vouch_list& to, connection& on, steady_time deadline) {
  binary_array authors{sql_type::int4}, subjects{sql_type::int4}, second{sql_type::boolean};
  for (const auto& each : to.rows) {
    authors.int4(each.record.author.value);
    subjects.int4(each.record.subject_user.value);
    second.boolean(each.record.contract == vouch_contract::vouch_v2);
  }
  const auto found = on.run(vouch_back_sql, with(authors, subjects, second), deadline);
  const places place{found};
  const column<vouch_id> number{found, "number"};
  for (int i = 0; i < found.count(); ++i)
    if (auto& row = to.rows.at(place[i]); !row.record.archived)
      row.mutual = number[i];
}

} // namespace

vouch_list read(connection& on, const reputation::list_vouches& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  binary_array archived{sql_type::boolean};
  for (const bool gone : {false, true})
    if (query.archived.value_or(gone) == gone)
      archived.boolean(gone);
  binary_array contracts{sql_type::text};
  if (query.contract != vouch_contract::vouch_v2)
    for (const auto* each : {"api", "vouch"})
      contracts.text(each);
  if (query.contract != vouch_contract::vouch)
    contracts.text("vouchV2");
  auto subjects = query.subjects;
  if (subjects && !query.subject_accounts.empty())
    for (const auto who :
         on.run(account_owners_sql, with(array_of(query.subject_accounts)), deadline).all<user_id>("user_id"))
      subjects->push_back(who);
  const auto found = on.run(listing_sql(query),
                            with(filter_by(query.ids), filter_by(query.authors), filter_by(subjects), archived,
                                 query.slice.limit, query.slice.offset, contracts, query.since),
                            deadline);
  const column<std::optional<vouch_id>> number{found, "number"};
  const column<std::optional<bool>> second{found, "second"};
  std::vector<reputation::vouch_place> page;
  for (int i = 0; i < found.count(); ++i)
    if (const auto which = number[i])
      page.push_back({*which, second[i].value_or(false) ? vouch_contract::vouch_v2 : vouch_contract::vouch});
  vouch_list out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  auto vouches = read_vouches_here(on, {page.begin(), page.end()}, deadline);
  const auto owners = read_owners_here(on, authors_of(vouches), deadline);
  add_authored(out, std::move(vouches), page, owners);
  out.users = users_of(
    on, out.rows, deadline, [](const auto& each) { return each.record.subject_user; },
    [](const auto& each) { return each.author; });
  if (!out.rows.empty())
    add_mutual(out, on, deadline);
  return out;
}
load_handler handler(asked<reputation::list_vouches> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::vouch_fees_told read(connection& on, const reputation::get_vouch_fees&, steady_time deadline) {
  return first_of(on.run(vouch_fees_sql, deadline),
                  CREDENCE_FIELDS(reputation::vouch_fees_told, protocol, donation, pool, exit))
    .value();
}
load_handler handler(asked<reputation::get_vouch_fees> it) { return reads<list_a_page, reputation::storage>(it); }

user_list read(connection& on, const reputation::list_mutual_vouchers& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found =
    on.run(mutual_sql, with(query.viewer, query.target, query.slice.limit, query.slice.offset), deadline);
  user_list out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  out.rows = found.all<user_id>("user_id");
  out.users = read_named_here(on, out.rows, deadline);
  return out;
}
load_handler handler(asked<reputation::list_mutual_vouchers> it) {
  return reads<list_of_many, reputation::storage>(it);
}

reputation::vouch_sums read(connection& on, const reputation::get_vouch_sums& query, steady_time deadline) {
  static constexpr auto fields =
    CREDENCE_FIELDS(reputation::vouch_sums, mutual, mutual_staked, mutual_balance, received_staked, given_staked);
  return first_of(on.run(vouch_lists_sums_sql, with(query.who), deadline), fields).value();
}
load_handler handler(asked<reputation::get_vouch_sums> it) { return reads<list_of_many, reputation::storage>(it); }

reputation::reviews_between read(connection& on, const reputation::get_reviews_between& query, steady_time deadline) {
  const read_snapshot snapshot{on, deadline};
  const auto found = on.run(between_sql, with(query.author, query.subject), deadline);
  reputation::reviews_between out;
  out.count = found.first<std::int64_t>("written");
  if (const auto latest = found.first<std::optional<review_id>>("latest")) {
    for (auto& each : read_reviews_here(on, {*latest}, deadline))
      out.latest = reputation::authored<reputation::review_record>{std::move(each), query.author};
    out.subject = query.subject;
    out.users = read_named_here(on, {query.author, query.subject}, deadline);
  }
  return out;
}
load_handler handler(asked<reputation::get_reviews_between> it) { return reads<list_a_page, reputation::storage>(it); }

} // namespace credence::persistence
