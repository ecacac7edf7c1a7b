#include "persistence/sql/project_sql.hpp"

/// Voting periods and the electorate: statements and row mapping.
namespace credence::persistence {

namespace {

const statement close_period{
  "close_period", "UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4 AND closed_at IS NULL"};
const statement open_period{"open_period", insert_one<period::period_advanced>("voting_periods")};

constexpr const auto& calendar_fields = part<period::voting_period>::fields;
const auto calendar_sql = "SELECT " + column_list(calendar_fields) + " FROM voting_periods ORDER BY id";
constexpr auto electorate_sql = "SELECT (SELECT count(*) FROM profiles WHERE NOT archived) AS live_profiles,"
                                " (SELECT count(*) FROM projects WHERE status = 'ACTIVE') AS active_projects";

} // namespace

/// The first statement closes exactly the period that is meant to be open; when another one is, the second is refused.
fact_sql_ptr sql_of(kind<period::period_advanced> it) {
  return written_by(it, {&close_period, &open_period}, [](const auto& change, global_seq seq, batch_statements& to) {
    to.put(close_period, with(change.closes, change.opened.starts_at));
    to.put(open_period, columns_of(change, seq));
  });
}
number_column numbers_of(kind<period::period_advanced>) { return {"voting_periods"}; }

/// All periods, oldest first.
period::stored_periods read(connection& on, const period::load_periods&, steady_time deadline) {
  return {all_of(on.run(calendar_sql.c_str(), deadline), calendar_fields)};
}
load_handler handler(asked<period::load_periods> it) { return reads<load_by_key, period::storage>(it); }

/// How many profiles may vote, on how many projects.
period::electorate read(connection& on, const period::load_electorate&, steady_time deadline) {
  static constexpr auto fields = CREDENCE_FIELDS(period::electorate, live_profiles, active_projects);
  return first_of(on.run(electorate_sql, deadline), fields).value();
}
load_handler handler(asked<period::load_electorate> it) { return reads<load_in_pieces, period::storage>(it); }

} // namespace credence::persistence
