#include "persistence/sql/period_sql.hpp"

namespace credence::persistence {

namespace {

const statement close_period{
  "close_period", "UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4 AND closed_at IS NULL"};
const statement open_period{
  "open_period", "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
                 " VALUES ($1::int4, $2::int4, $3::int4, $4::timestamptz, $5::timestamptz, $6::int8, $7::int8, $8::int8)"};

} // namespace

statements_used sql_of<period::period_advanced>::used() { return {&close_period, &open_period}; }

void sql_of<period::period_advanced>::add(const period::period_advanced& change, global_seq seq, batch_statements& to) {
  const auto& opened = change.opened;
  to.put(close_period, parameters{}.int4(change.closes.value).time(opened.starts_at));
  to.put(open_period, parameters{}
                                  .int4(opened.id.value)
                                  .int4(opened.year)
                                  .int4(opened.number)
                                  .time(opened.starts_at)
                                  .time(opened.ends_at)
                                  .int8(opened.live_profiles)
                                  .int8(opened.active_projects)
                                  .int8(seq));
}

period::stored_periods read_periods(connection& on, steady_time deadline) {
  const auto found = on.run(
    "SELECT id, year, number, starts_at, ends_at, closed_at, live_profiles, active_projects FROM voting_periods ORDER BY id", deadline);
  period::stored_periods out;
  out.periods.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.periods.push_back({period_id{found.int4(i, 0)}, found.int4(i, 1), found.int4(i, 2), found.time(i, 3),
                           found.time(i, 4), found.maybe_time(i, 5), found.int8(i, 6), found.int8(i, 7)});
  return out;
}

period::electorate read_electorate(connection& on, steady_time deadline) {
  const auto found = on.run("SELECT (SELECT count(*) FROM profiles WHERE NOT archived),"
                                    " (SELECT count(*) FROM projects WHERE status = 'ACTIVE')",
                                    deadline);
  return {found.int8(0, 0), found.int8(0, 1)};
}

} // namespace credence::persistence
