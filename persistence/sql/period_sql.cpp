#include "persistence/sql/project_sql.hpp"

#include "persistence/readers/handlers.hpp"

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

fact_sql_ptr sql_of(kind<period::period_advanced>) {
  return written_by<period::period_advanced>({&close_period, &open_period},
                                             [](const auto& change, global_seq seq, batch_statements& to) {
                                               to.put(close_period, with(change.closes, change.opened.starts_at));
                                               to.put(open_period, columns_of(change, seq));
                                             });
}

period::stored_periods read(connection& on, const period::load_periods&, steady_time deadline) {
  return {all_of(on.run(calendar_sql.c_str(), deadline), calendar_fields)};
}

period::electorate read(connection& on, const period::load_electorate&, steady_time deadline) {
  using of = period::electorate;
  static constexpr field_list fields{field{"live_profiles", &of::live_profiles},
                                     field{"active_projects", &of::active_projects}};
  return first_of(on.run(electorate_sql, deadline), fields).value();
}

template std::vector<load_handler> handlers_of<period::storage>();

} // namespace credence::persistence
