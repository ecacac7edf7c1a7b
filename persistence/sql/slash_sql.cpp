#include "persistence/sql/slash_sql.hpp"

#include "persistence/sql/people_sql.hpp"

#include <string>

namespace credence::persistence {

namespace {

using slash::slash_record;
using slash::subject;

/// The columns that `record_from` and `subject_from` read, with what follows.
std::string select_slashes(const char* rest) {
  return std::string{
           "SELECT s.subject_address, s.subject_service, s.subject_account, s.subject_user_id,"
           " s.subject_profile_id, s.id, s.author_id, s.type, s.amount, s.duration_s, s.comment, s.metadata,"
           " s.created_at, s.closed_at, s.outcome, s.slash_weight, s.defend_weight"}
         + rest;
}
constexpr int after_slash = 17; // the first column of the rest

subject subject_from(const rows& from, int i) {
  subject out;
  if (!from.null(i, 0))
    out.wallet = address{bytes_from<20>(from.text(i, 0))};
  if (!from.null(i, 1))
    out.account = slash::account{named<people::account_service>(people::service_names, from.text(i, 1)),
                                 std::string{from.text(i, 2)}};
  out.user = user_id{from.maybe_int4(i, 3).value_or(0)};
  if (const auto profile = from.maybe_int4(i, 4))
    out.profile = profile_id{*profile};
  return out;
}

slash_record record_from(const rows& from, int i) {
  slash_record out{slash_id{from.int4(i, 5)},
                   profile_id{from.int4(i, 6)},
                   subject_from(from, i),
                   named<slash::slash_type>(slash::type_names, from.text(i, 7)),
                   from.int4(i, 8),
                   std::chrono::seconds{from.int4(i, 9)},
                   std::string{from.text(i, 10)},
                   std::string{from.text(i, 11)},
                   from.time(i, 12)};
  if (!from.null(i, 13))
    out.closed = slash::closing{from.time(i, 13),
                                named<slash::verdict>(slash::verdict_names, from.text(i, 14)),
                                {from.int8(i, 15), from.int8(i, 16)}};
  return out;
}

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
const char* listing_sql(const slash::find_slashes& asked) {
  static const auto texts = [] {
    constexpr std::array<const char*, 3> states{"", " AND s.closed_at IS NULL",
                                                " AND s.closed_at IS NOT NULL"};
    std::array<std::string, 4 * states.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto those = std::string{" FROM slashes s WHERE true"}
                         + (i & 1 ? " AND s.author_id = $6::int4" : "")
                         + (i & 2 ? " AND (s.subject_address = $1::bytea OR s.subject_user_id = $4::int4"
                                    " OR (s.subject_service = $2::text AND s.subject_account = $3::text))"
                                  : "")
                         + states[i / 4];
      out[i] =
        "WITH given AS (SELECT $1::bytea, $2::text, $3::text, $4::int4, $5::int4, $6::int4)," // used or not
        " total AS (SELECT count(*) AS n"
        + those + "), page AS (SELECT s.*" + those
        + " ORDER BY s.created_at DESC, s.id DESC LIMIT $7::int4 OFFSET $8::int4) "
        + select_slashes(
          ", total.n FROM total LEFT JOIN page s ON true ORDER BY s.created_at DESC, s.id DESC");
    }
    return out;
  }();
  const std::size_t state = !asked.open ? 0 : *asked.open ? 1 : 2;
  return texts[(asked.author ? 1 : 0) + (asked.subject ? 2 : 0) + 4 * state].c_str();
}

constexpr std::int32_t ballots_at_once = 20'000;

constexpr auto ballots_sql = "SELECT voter_id, for_slash, weight, votes FROM slash_ballots"
                             " WHERE slash_id = $1::int4 AND voter_id > $2::int4 ORDER BY voter_id LIMIT $3::int4";

// While a slash is open nobody but the voter ($3) hears which way it was.
constexpr auto roles_sql =
  "SELECT w.id, CASE WHEN s.author_id = w.id THEN 'slasher' WHEN s.subject_profile_id = w.id THEN 'defender'"
  " ELSE (SELECT CASE WHEN s.closed_at IS NULL AND w.id <> $3::int4 THEN 'voter'"
  "   WHEN b.for_slash THEN 'voted_slash' ELSE 'voted_defend' END"
  "  FROM slash_ballots b WHERE b.slash_id = s.id AND b.voter_id = w.id) END"
  " FROM slashes s CROSS JOIN unnest($2::int4[]) WITH ORDINALITY w(id, place) WHERE s.id = $1::int4"
  " ORDER BY w.place";

slash::vote_side side_from(const rows& from, int i, int column) {
  return from.boolean(i, column) ? slash::vote_side::slash : slash::vote_side::defend;
}

} // namespace

// -- writing -----------------------------------------------------------------------------------

const statement open_slash{"open_slash", fact_columns<slash::slash_opened>::insert_into("slashes")};
const statement vote_on_slash{"vote_on_slash", fact_columns<slash::slash_voted>::insert_into("slash_votes")};

namespace {

// One that is closed stays as it is: its trigger refuses this.
const statement close_slash{
  "close_slash",
  "UPDATE slashes SET closed_at = $2::timestamptz, outcome = $3::text, slash_weight = $4::int8,"
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

slash::stored_open_slashes read_open_slashes(connection& on, const slash::load_open_slashes& asked,
                                             steady_time deadline) {
  static const auto open_sql = select_slashes(
    ", t.votes, t.for_it, t.against_it FROM slashes s JOIN slash_tallies t ON t.slash_id = s.id"
    " WHERE s.closed_at IS NULL ORDER BY s.id");
  static const auto slashed_sql = select_slashes(
    " FROM slashes s WHERE s.outcome = 'SLASHED' AND s.closed_at > $1::timestamptz ORDER BY s.closed_at");
  transaction snapshot{on, deadline, begin_snapshot};
  slash::stored_open_slashes out;
  out.last = slash_id{on.run("SELECT coalesce(max(id), 0) FROM slashes", deadline).int4(0, 0)};
  const auto open = on.run(open_sql.c_str(), deadline);
  for (int i = 0; i < open.count(); ++i)
    out.open.push_back({record_from(open, i),
                        open.int4(i, after_slash),
                        {open.int8(i, after_slash + 1), open.int8(i, after_slash + 2)}});
  const auto slashed = on.run(slashed_sql.c_str(), parameters{}.time(asked.slashed_after), deadline);
  for (int i = 0; i < slashed.count(); ++i)
    out.slashed.push_back({subject_from(slashed, i), slashed.time(i, 13)});
  snapshot.commit(deadline);
  return out;
}

slash::stored_ballots read_ballots(connection& on, const slash::load_ballots& asked, steady_time deadline) {
  const auto found = on.run(
    ballots_sql, parameters{}.int4(asked.slash.value).int4(asked.after.value).int4(ballots_at_once), deadline);
  slash::stored_ballots out;
  out.last = found.count() < ballots_at_once;
  out.ballots.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.ballots.push_back({profile_id{found.int4(i, 0)}, side_from(found, i, 1), found.int4(i, 2), found.int4(i, 3)});
  return out;
}

slash::found_slash read_slash(connection& on, slash_id which, steady_time deadline) {
  static const auto one_sql = select_slashes(" FROM slashes s WHERE s.id = $1::int4");
  const auto found = on.run(one_sql.c_str(), parameters{}.int4(which.value), deadline);
  return {found.empty() ? std::nullopt : std::optional{record_from(found, 0)}};
}

slash::slash_page read_slashes(connection& on, const slash::find_slashes& asked, steady_time deadline) {
  parameters with;
  add_subject(with, asked.subject.value_or(subject{}));
  add_id(with, asked.author.value_or(profile_id{}));
  with.int4(asked.slice.limit).int4(asked.slice.offset);
  const auto found = on.run(listing_sql(asked), with, deadline);
  slash::slash_page out;
  out.slice = asked.slice;
  out.total = found.int8(0, after_slash);
  for (int i = 0; i < found.count(); ++i)
    if (!found.null(i, 5)) // the row that is there when nothing is found
      out.values.push_back(record_from(found, i));
  return out;
}

slash::stored_roles read_roles(connection& on, const slash::load_roles& asked, steady_time deadline) {
  binary_array who{sql_type::int4};
  for (const auto each : asked.profiles)
    who.int4(each.value);
  const auto found = on.run(roles_sql, parameters{}.int4(asked.slash.value).array(who).int4(asked.viewer.value), deadline);
  slash::stored_roles out;
  out.exists = !found.empty();
  for (int i = 0; i < found.count(); ++i)
    if (!found.null(i, 1))
      out.roles.emplace_back(profile_id{found.int4(i, 0)},
                             named<slash::role>(slash::role_names, found.text(i, 1)));
  return out;
}

} // namespace credence::persistence
