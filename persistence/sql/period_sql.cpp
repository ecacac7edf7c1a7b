#include "persistence/sql/period_sql.hpp"

namespace credence::persistence {

namespace {

const statement close_period{
  "close_period", "UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4 AND closed_at IS NULL"};
const statement open_period{
  "open_period",
  "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
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

period::stored_periods read(connection& on, const period::load_periods&, steady_time deadline) {
  const auto found = on.run("SELECT id, year, number, starts_at, ends_at, closed_at, live_profiles, active_projects "
                            "FROM voting_periods ORDER BY id",
                            deadline);
  const column<period_id> id{found, "id"};
  const column<std::int32_t> year{found, "year"};
  const column<std::int32_t> number{found, "number"};
  const column<timestamp> starts_at{found, "starts_at"};
  const column<timestamp> ends_at{found, "ends_at"};
  const column<std::optional<timestamp>> closed_at{found, "closed_at"};
  const column<std::int64_t> live_profiles{found, "live_profiles"};
  const column<std::int64_t> active_projects{found, "active_projects"};
  period::stored_periods out;
  out.periods.reserve(static_cast<std::size_t>(found.count()));
  for (int i = 0; i < found.count(); ++i)
    out.periods.push_back(
      {id[i], year[i], number[i], starts_at[i], ends_at[i], closed_at[i], live_profiles[i], active_projects[i]});
  return out;
}

period::electorate read(connection& on, const period::load_electorate&, steady_time deadline) {
  const auto found = on.run("SELECT (SELECT count(*) FROM profiles WHERE NOT archived) AS live_profiles,"
                            " (SELECT count(*) FROM projects WHERE status = 'ACTIVE') AS active_projects",
                            deadline);
  return {found.first<std::int64_t>("live_profiles"), found.first<std::int64_t>("active_projects")};
}

} // namespace credence::persistence
