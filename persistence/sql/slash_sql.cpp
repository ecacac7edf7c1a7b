#include "persistence/sql/slash_sql.hpp"

#include "actors/domain/keccak.hpp"
#include "persistence/sql/in_order.hpp"
#include "persistence/sql/slash_words.hpp"

#include <string>

namespace credence::persistence {

namespace {

using slash::slash_record;
using slash::subject;

/// Of the account of which a slash of a chain names the hash alone, as soon as somebody has attested it.
#define HASHED(column)                                                                                                 \
  "(SELECT j." column " FROM subjects j WHERE j.key = s.subject_hash ORDER BY j.generation DESC LIMIT 1)"

/// The columns that `subject_columns` and `slash_columns` read, with what follows.
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

struct subject_columns {
  const rows& in;
  column<std::optional<address>> wallet{in, "subject_address"};
  column<std::optional<people::account_service>> service{in, "subject_service"};
  column<std::optional<std::string>> account{in, "subject_account"};
  column<std::optional<user_id>> user{in, "subject_user_id"};
  column<std::optional<profile_id>> profile{in, "subject_profile_id"};

  slash::subject subject(int row) const {
    slash::subject out;
    out.wallet = wallet[row];
    if (const auto known = service[row])
      out.account = slash::account{*known, account[row].value()};
    out.user = user[row].value_or(user_id{});
    out.profile = profile[row];
    return out;
  }
};

struct slash_columns {
  const rows& in;
  subject_columns subject{in};
  column<slash_id> id{in, "id"};
  column<profile_id> author{in, "author_id"};
  column<slash::slash_type> type{in, "type"};
  column<std::int32_t> amount{in, "amount"};
  column<std::int32_t> duration_s{in, "duration_s"};
  column<std::string> comment{in, "comment"};
  column<std::string> metadata{in, "metadata"};
  column<timestamp> created_at{in, "created_at"};
  column<std::optional<timestamp>> closed_at{in, "closed_at"};
  column<std::optional<slash::verdict>> outcome{in, "outcome"};
  column<std::optional<std::int64_t>> slash_weight{in, "slash_weight"};
  column<std::optional<std::int64_t>> defend_weight{in, "defend_weight"};

  slash_record record(int row) const {
    slash_record out{id[row],      author[row],   subject.subject(row),
                     type[row],    amount[row],   std::chrono::seconds{duration_s[row]},
                     comment[row], metadata[row], created_at[row]};
    if (const auto at = closed_at[row])
      out.closed = slash::closing{*at, outcome[row].value(), {slash_weight[row].value(), defend_weight[row].value()}};
    return out;
  }
};

/// An id, or null for none.
template <class Tag>
void add_id(parameters& to, id<Tag> which) {
  if (which)
    to.int4(which.value);
  else
    to.null();
}

/// Parameters for the five columns of a subject.
void add_subject(parameters& to, const subject& who) {
  if (who.wallet)
    to.bytes(who.wallet->bytes);
  else
    to.null();
  if (who.account)
    to.text(people::name_of(who.account->service)).text(who.account->id);
  else
    to.null().null();
  add_id(to, who.user);
  add_id(to, who.profile.value_or(profile_id{}));
}

/// A text for every set of filters, so that each finds its index.
const char* listing_sql(const slash::find_slashes& query) {
  static const auto texts = [] {
    constexpr std::array<const char*, 3> states{"", " AND s.closed_at IS NULL", " AND s.closed_at IS NOT NULL"};
    std::array<std::string, 8 * states.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto those =
        std::string{" FROM slashes s WHERE true"} + (i & 1 ? " AND s.author_id = $6::int4" : "")
        + (i & 2 ? " AND (s.subject_address = $1::bytea OR s.subject_user_id = $4::int4"
                   " OR (s.subject_service = $2::text AND s.subject_account = $3::text) OR s.subject_hash = $9::bytea)"
                 : "")
        + (i & 4 ? " AND s.type <> 'XP'" : "") + states[i / 8];
      out[i] =
        "WITH given AS (SELECT $1::bytea, $2::text, $3::text, $4::int4, $5::int4, $6::int4, $9::bytea)," // used or not
        " total AS (SELECT count(*) AS n"
        + those + "), page AS (SELECT s.*" + those
        + " ORDER BY s.created_at DESC, s.id DESC LIMIT $7::int4 OFFSET $8::int4) "
        + select_slashes(
          ", total.n AS total FROM total LEFT JOIN page s ON true ORDER BY s.created_at DESC, s.id DESC");
    }
    return out;
  }();
  const std::size_t state = !query.open ? 0 : *query.open ? 1 : 2;
  return texts[(query.author ? 1 : 0) + (query.subject ? 2 : 0) + (query.with_xp ? 0 : 4) + 8 * state].c_str();
}

constexpr auto xp_at_hand_sql = "SELECT coalesce((SELECT balance FROM xp_accounts WHERE id = $1::int4), 0) AS author,"
                                " coalesce((SELECT balance FROM xp_accounts WHERE id = $2::int4), 0) AS subject";

constexpr std::int32_t ballots_at_once = 20'000;

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

const statement open_slash{"open_slash", fact_columns<slash::slash_opened>::insert_into("slashes")};
const statement vote_on_slash{"vote_on_slash", fact_columns<slash::slash_voted>::insert_into("slash_votes")};

namespace {

// One that is closed stays as it is: its trigger refuses this.
const statement close_slash{
  "close_slash", "UPDATE slashes SET closed_at = $2::timestamptz, outcome = $3::text, slash_weight = $4::int8,"
                 " defend_weight = $5::int8, closed_seq = $6::int8,"
                 " cancelled_at = CASE WHEN $3::text = 'CANCELLED' THEN $2::timestamptz END WHERE id = $1::int4"};

} // namespace

statements_used sql_of<slash::slash_closed>::used() { return {&close_slash}; }

void sql_of<slash::slash_closed>::add(const slash::slash_closed& closed, global_seq seq, batch_statements& to) {
  const auto& end = closed.end;
  to.put(close_slash, parameters{}
                        .int4(closed.slash.value)
                        .time(end.at)
                        .text(slash::verdict_names[static_cast<std::size_t>(end.how)])
                        .int8(end.votes.slash)
                        .int8(end.votes.defend)
                        .int8(seq));
}

// -- reading -----------------------------------------------------------------------------------

namespace {

void add_open(slash::stored_open_slashes& to, const rows& found) {
  const slash_columns slashes{found};
  const column<entity_seq> votes{found, "votes"};
  const column<std::int64_t> for_it{found, "for_it"};
  const column<std::int64_t> against_it{found, "against_it"};
  for (int i = 0; i < found.count(); ++i)
    to.open.push_back({slashes.record(i), votes[i], {for_it[i], against_it[i]}});
}

void add_slashed(slash::stored_open_slashes& to, const rows& found) {
  const subject_columns whom{found};
  const column<timestamp> closed_at{found, "closed_at"};
  for (int i = 0; i < found.count(); ++i)
    to.slashed.push_back({whom.subject(i), closed_at[i]});
}

} // namespace

slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& query, steady_time deadline) {
  static const auto open_sql =
    select_slashes(", t.votes, t.for_it, t.against_it FROM slashes s JOIN slash_tallies t ON t.slash_id = s.id"
                   " WHERE s.closed_at IS NULL AND s.source = 'api' ORDER BY s.id");
  // Numbers and the pause go by all slashes, also those that a chain brought which is followed no longer.
  static const auto slashed_sql = select_slashes(
    " FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > $1::timestamptz ORDER BY s.closed_at");
  transaction snapshot{on, deadline, begin_snapshot};
  slash::stored_open_slashes out;
  out.last = on.run("SELECT coalesce(max(id), 0) FROM slashes", deadline).value<slash_id>();
  add_open(out, on.run(open_sql.c_str(), deadline));
  add_slashed(out, on.run(slashed_sql.c_str(), parameters{}.time(query.slashed_after), deadline));
  snapshot.commit(deadline);
  return out;
}

slash::stored_ballots read(connection& on, const slash::load_ballots& query, steady_time deadline) {
  const auto found =
    on.run(ballots_sql, parameters{}.int4(query.slash.value).int4(query.after.value).int4(ballots_at_once), deadline);
  const column<profile_id> voter{found, "voter_id"};
  const column<bool> for_slash{found, "for_slash"};
  const column<std::int32_t> weight{found, "weight"};
  const column<std::int32_t> votes{found, "votes"};
  slash::stored_ballots out;
  out.last = found.count() < ballots_at_once;
  out.ballots.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.ballots.push_back(
      {voter[i], for_slash[i] ? slash::vote_side::slash : slash::vote_side::defend, weight[i], votes[i]});
  return out;
}

slash::xp_at_hand read(connection& on, const slash::load_xp_at_hand& query, steady_time deadline) {
  const auto found = on.run(xp_at_hand_sql, parameters{}.int4(query.author.value).int4(query.subject.value), deadline);
  return {found.first<std::int64_t>("author"), found.first<std::int64_t>("subject")};
}

slash::found_slash read(connection& on, const slash::load_slash& query, steady_time deadline) {
  static const auto one_sql = select_slashes(" FROM slashes s WHERE s.id = $1::int4");
  const auto found = on.run(one_sql.c_str(), parameters{}.int4(query.slash.value), deadline);
  return {found.empty() ? std::nullopt : std::optional{slash_columns{found}.record(0)}};
}

slash::slash_page read(connection& on, const slash::find_slashes& query, steady_time deadline) {
  parameters with;
  add_subject(with, query.subject.value_or(subject{}));
  add_id(with, query.author.value_or(profile_id{}));
  with.int4(query.slice.limit).int4(query.slice.offset);
  if (const auto account = query.subject.value_or(subject{}).account)
    with.bytes(attestation_hash(people::name_of(account->service), account->id));
  else
    with.null();
  const auto found = on.run(listing_sql(query), with, deadline);
  const slash_columns slashes{found};
  slash::slash_page out;
  out.slice = query.slice;
  out.total = found.first<std::int64_t>("total");
  for (int i = 0; i < found.count(); ++i)
    if (!slashes.id.null(i)) // the row that is there when nothing is found
      out.values.push_back(slashes.record(i));
  return out;
}

slash::stored_roles read(connection& on, const slash::load_roles& query, steady_time deadline) {
  auto who = ids_of(query.profiles);
  const auto found =
    on.run(roles_sql, parameters{}.int4(query.slash.value).array(who).int4(query.viewer.value), deadline);
  const column<profile_id> profile{found, "id"};
  const column<std::optional<slash::role>> role{found, "role"};
  slash::stored_roles out;
  out.exists = !found.empty();
  for (int i = 0; i < found.count(); ++i)
    if (const auto part = role[i])
      out.roles.emplace_back(profile[i], *part);
  return out;
}

} // namespace credence::persistence
