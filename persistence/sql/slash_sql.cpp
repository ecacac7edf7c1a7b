#include "actors/domain/hash.hpp"
#include "actors/slash/slash_storage.hpp"
#include "config/limits.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <string>

/// Slashes and votes on them: statements and row mapping.
namespace credence::persistence {

namespace {

using slash::slash_record;
using slash::subject;

/// Of the account of which a slash of a chain names the hash alone, as soon as somebody has attested it.
#define HASHED(column)                                                                                                 \
  "(SELECT j." column " FROM subjects j WHERE j.key = s.subject_hash ORDER BY j.generation DESC LIMIT 1)"

/// The columns that `slashes_in` reads, with what follows.
std::string select_slashes(const char* rest) {
  return std::string{"SELECT s.subject_address, coalesce(s.subject_service, " HASHED(
           "service") ") AS subject_service,"
                      " coalesce(s.subject_account, " HASHED(
                        "account") ") AS subject_account, s.subject_user_id,"
                                   " s.subject_profile_id, s.id, s.author_id, s.type, s.amount, s.duration_s, "
                                   "s.comment, s.metadata,"
                                   " s.created_at, s.closed_at, s.outcome, s.slash_weight, s.defend_weight"}
         + rest;
}

#undef HASHED

/// Subjects of rows, in their order.
std::vector<subject> subjects_in(const rows& found) {
  static constexpr field_list fields{field{"subject_address", &subject::wallet},
                                     field{"subject_user_id", or_null(&subject::user)},
                                     field{"subject_profile_id", &subject::profile}};
  auto out = all_of(found, fields);
  const column<std::optional<people::account_service>> service{found, "subject_service"};
  const column<std::optional<std::string>> account{found, "subject_account"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto known = service[i])
      out[static_cast<std::size_t>(i)].account = slash::account{*known, account[i].value()};
  return out;
}

std::vector<slash_record> slashes_in(const rows& found) {
  auto subjects = subjects_in(found);
  auto out = all_of(found, part<slash_record>::fields);
  const column<std::optional<timestamp>> closed_at{found, "closed_at"};
  const column<std::optional<slash::verdict>> outcome{found, "outcome"};
  const column<std::optional<std::int64_t>> slash_weight{found, "slash_weight"};
  const column<std::optional<std::int64_t>> defend_weight{found, "defend_weight"};
  for (int i = 0; i < found.count(); ++i) {
    auto& record = out[static_cast<std::size_t>(i)];
    record.subject = std::move(subjects[static_cast<std::size_t>(i)]);
    if (const auto at = closed_at[i])
      record.closed = slash::closing{*at, outcome[i].value(), {slash_weight[i].value(), defend_weight[i].value()}};
  }
  return out;
}

static_assert(limits::list_depth_max == 10'000, "the texts below say so");

/// A text for every set of filters, so that each finds its index. The newest that an index leads to are looked through,
/// and counted as far as they fit the other filters.
const char* listing_sql(const slash::find_slashes& query) {
  static const auto texts = [] {
    constexpr std::array<const char*, 3> states{"", " AND s.closed_at IS NULL", " AND s.closed_at IS NOT NULL"};
    std::array<std::string, 8 * states.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto whose =
        std::string{i & 1 ? " AND s.author_id = $6::int4" : ""}
        + (i & 2 ? " AND (s.subject_address = $1::bytea OR s.subject_user_id = $4::int4"
                   " OR (s.subject_service = $2::text AND s.subject_account = $3::text) OR s.subject_hash = $9::bytea)"
                 : "");
      const std::string state = states[i / 8];
      out[i] =
        "WITH given AS (SELECT $1::bytea, $2::text, $3::text, $4::int4, $5::int4, $6::int4, $9::bytea)," // used or not
        " newest AS (SELECT s.id, s.created_at, s.closed_at, s.type FROM slashes s WHERE true"
        + (whose.empty() ? state : whose)
        + " ORDER BY s.created_at DESC, s.id DESC LIMIT 10000),"
          " matching AS MATERIALIZED (SELECT s.id, s.created_at FROM newest s WHERE true"
        + (i & 4 ? " AND s.type <> 'XP'" : "") + state
        + "), page AS (SELECT * FROM matching ORDER BY created_at DESC, id DESC LIMIT $7::int4 OFFSET $8::int4) "
        + select_slashes(", t.n AS total FROM (SELECT count(*) AS n FROM matching) t LEFT JOIN page p ON true"
                         " LEFT JOIN LATERAL (SELECT * FROM slashes o WHERE o.id = p.id LIMIT 1) s ON true"
                         " ORDER BY p.created_at DESC, p.id DESC");
    }
    return out;
  }();
  const std::size_t state = !query.open ? 0 : *query.open ? 1 : 2;
  return texts[(query.author ? 1 : 0) + (query.subject ? 2 : 0) + (query.with_xp ? 0 : 4) + 8 * state].c_str();
}

constexpr auto xp_at_hand_sql = "SELECT coalesce((SELECT balance FROM xp_accounts WHERE id = $1::int4), 0) AS author,"
                                " coalesce((SELECT balance FROM xp_accounts WHERE id = $2::int4), 0) AS subject";

constexpr auto ballots_sql = "SELECT voter_id, for_slash, weight, votes FROM slash_ballots"
                             " WHERE slash_id = $1::int4 AND voter_id > $2::int4 ORDER BY voter_id LIMIT $3::int4";

// While a slash is open nobody but the voter ($3) hears which way it was.
constexpr auto roles_sql =
  "SELECT w.id, CASE WHEN s.author_id = w.id THEN 'slasher' WHEN s.subject_profile_id = w.id THEN 'defender'"
  " ELSE (SELECT CASE WHEN s.closed_at IS NULL AND w.id <> $3::int4 THEN 'voter'"
  "   WHEN b.for_slash THEN 'voted_slash' ELSE 'voted_defend' END"
  "  FROM slash_ballots b WHERE b.slash_id = s.id AND b.voter_id = w.id) END AS role"
  " FROM slashes s CROSS JOIN unnest($2::int4[]) WITH ORDINALITY w(id, place) WHERE s.id = $1::int4"
  " ORDER BY w.place";

} // namespace

// -- writing -----------------------------------------------------------------------------------

namespace {

const statement open_slash{"open_slash", insert_one<slash::slash_opened>("slashes")};
const statement vote_on_slash{"vote_on_slash", insert_all<slash::slash_voted>("slash_votes")};
// One that is closed stays as it is: its trigger refuses this.
const statement close_slash{
  "close_slash", "UPDATE slashes SET closed_at = $2::timestamptz, outcome = $3::text, slash_weight = $4::int8,"
                 " defend_weight = $5::int8, closed_seq = $6::int8,"
                 " cancelled_at = CASE WHEN $3::text = 'CANCELLED' THEN $2::timestamptz END WHERE id = $1::int4"};

} // namespace

// Opening and closing take one statement each, votes between two of these one together.
fact_sql_ptr sql_of(kind<slash::slash_opened> it) {
  return behind<slash::slash_voted>(written_in_turn(it, open_slash));
}
number_column numbers_of(kind<slash::slash_opened>) { return {"slashes"}; }
fact_sql_ptr sql_of(kind<slash::slash_voted> it) { return written_together(it, vote_on_slash); }
number_column numbers_of(kind<slash::slash_voted>) { return {"slash_votes"}; }
fact_sql_ptr sql_of(kind<slash::slash_closed> it) {
  return behind<slash::slash_voted>(written_in_turn(it, close_slash));
}
number_column numbers_of(kind<slash::slash_closed>) { return {"slashes", "closed_seq"}; }

// -- reading -----------------------------------------------------------------------------------

namespace {

void add_open(slash::stored_open_slashes& to, const rows& found) {
  static constexpr auto fields =
    CREDENCE_FIELDS(slash::stored_slash, (votes, last_number), (for_it, votes, &slash::weights::slash),
                    (against_it, votes, &slash::weights::defend));
  auto records = slashes_in(found);
  to.open = all_of(found, fields);
  for (std::size_t i = 0; i < records.size(); ++i)
    to.open[i].record = std::move(records[i]);
}

void add_slashed(slash::stored_open_slashes& to, const rows& found) {
  auto whom = subjects_in(found);
  const column<timestamp> closed_at{found, "closed_at"};
  for (int i = 0; i < found.count(); ++i)
    to.slashed.push_back({std::move(whom[static_cast<std::size_t>(i)]), closed_at[i]});
}

} // namespace

/// Open slashes and what their votes come to, and subjects slashed lately, of one snapshot.
slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& query, steady_time deadline) {
  static const auto open_sql =
    select_slashes(", t.votes, t.for_it, t.against_it FROM slashes s JOIN slash_tallies t ON t.slash_id = s.id"
                   " WHERE s.closed_at IS NULL AND s.source = 'api' ORDER BY s.id");
  // Numbers and the pause go by all slashes, also those that a chain brought which is followed no longer.
  static const auto slashed_sql = select_slashes(
    " FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > $1::timestamptz ORDER BY s.closed_at");
  const read_snapshot snapshot{on, deadline};
  slash::stored_open_slashes out;
  out.last = on.run("SELECT coalesce(max(id), 0) FROM slashes", deadline).value<slash_id>();
  add_open(out, on.run(open_sql.c_str(), deadline));
  add_slashed(out, on.run(slashed_sql.c_str(), with(query.slashed_after), deadline));
  return out;
}
load_handler handler(asked<slash::load_open_slashes> it) { return reads<load_in_pieces, slash::storage>(it); }

/// The next piece of a slash's ballots.
slash::stored_ballots read(connection& on, const slash::load_ballots& query, steady_time deadline) {
  using of = slash::ballot;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (voter_id, voter)),
                 field{"for_slash", flag(&of::side, slash::vote_side::slash, slash::vote_side::defend)},
                 CREDENCE_FIELDS(of, weight, votes));
  const auto found = on.run(ballots_sql, with(query.slash, query.after, query.most), deadline);
  return {all_of(found, fields), found.count() < query.most};
}
load_handler handler(asked<slash::load_ballots> it) { return reads<load_by_key, slash::storage>(it); }

slash::xp_at_hand read(connection& on, const slash::load_xp_at_hand& query, steady_time deadline) {
  return first_of(on.run(xp_at_hand_sql, with(query.author, query.subject), deadline),
                  CREDENCE_FIELDS(slash::xp_at_hand, author, subject))
    .value();
}
load_handler handler(asked<slash::load_xp_at_hand> it) { return reads<load_by_key, slash::storage>(it); }

std::optional<slash_record> read(connection& on, const slash::get_slash& query, steady_time deadline) {
  static const auto one_sql = select_slashes(" FROM slashes s WHERE s.id = $1::int4");
  auto found = slashes_in(on.run(one_sql.c_str(), with(query.slash), deadline));
  return found.empty() ? std::nullopt : std::optional{std::move(found.front())};
}
load_handler handler(asked<slash::get_slash> it) { return reads<load_by_key, slash::storage>(it); }

/// A page of slashes, created last first, and how many there are, as far as they are counted.
slash::slash_page read(connection& on, const slash::find_slashes& query, steady_time deadline) {
  const auto whom = query.subject.value_or(subject{});
  const auto& account = whom.account;
  auto asked = columns_of(whom);
  const std::optional<profile_id> author = query.author && *query.author ? query.author : std::nullopt;
  detail::put_parameter(asked, author);
  asked.int4(query.slice.limit).int4(query.slice.offset);
  if (account)
    asked.bytes(attestation_hash(people::name_of(account->service), account->id));
  else
    asked.null();
  const auto found = on.run(listing_sql(query), asked, deadline);
  slash::slash_page out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  if (!column<std::optional<slash_id>>{found, "id"}.null(0)) // the row that is there when nothing is found
    out.values = slashes_in(found);
  return out;
}
load_handler handler(asked<slash::find_slashes> it) { return reads<list_of_many, slash::storage>(it); }

slash::stored_roles read(connection& on, const slash::load_roles& query, steady_time deadline) {
  const auto found = on.run(roles_sql, with(query.slash, array_of(query.profiles), query.viewer), deadline);
  const column<profile_id> profile{found, "id"};
  const column<std::optional<slash::role>> role{found, "role"};
  slash::stored_roles out;
  out.exists = !found.empty();
  for (int i = 0; i < found.count(); ++i)
    if (const auto part = role[i])
      out.roles.emplace_back(profile[i], *part);
  return out;
}
load_handler handler(asked<slash::load_roles> it) { return reads<list_a_page, slash::storage>(it); }

} // namespace credence::persistence
