#include "persistence/period_sql.hpp"

namespace credence::persistence {

const char* const period_advance_sql::close_sql =
  "UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4 AND closed_at IS NULL";

const char* const period_advance_sql::open_sql =
  "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
  " VALUES ($1::int4, $2::int4, $3::int4, $4::timestamptz, $5::timestamptz, $6::int8, $7::int8, $8::int8)";

parameters period_advance_sql::close_with(const period::period_advanced& change) {
  parameters with;
  with.int4(change.closes.value).time(change.opened.starts_at);
  return with;
}

parameters period_advance_sql::open_with(const period::period_advanced& change, global_seq seq) {
  parameters with;
  const auto& opened = change.opened;
  with.int4(opened.id.value).int4(opened.year).int4(opened.number).time(opened.starts_at).time(opened.ends_at);
  with.int8(opened.live_profiles).int8(opened.active_projects).int8(seq);
  return with;
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
