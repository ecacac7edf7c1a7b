#include "persistence/verify/verify.hpp"

#include "actors/store.hpp"
#include "persistence/sql/score_sql.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace credence::persistence {

namespace {

constexpr int examples_max = 10;

constexpr struct {
  const char* name;
  const char* text;
} promises_file[] = {
#include "promises.inc"
};

/// Reads `--- entity | name | words` and the statement behind it.
std::vector<promise> read_promises() {
  std::vector<promise> out;
  std::istringstream lines{promises_file[0].text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--- ")) {
      const auto name = line.find(" | "), words = line.find(" | ", name + 3);
      out.push_back({line.substr(4, name - 4), line.substr(name + 3, words - name - 3), line.substr(words + 3), {}});
    } else if (!out.empty() && !line.empty()) {
      out.back().sql += line + "\n";
    }
  }
  return out;
}

template <class F>
void add(std::vector<number_column>& to) {
  if constexpr (fact<F>::numbers != numbering::none)
    if (std::find(to.begin(), to.end(), numbers_of(kind<F>{})) == to.end())
      to.push_back(numbers_of(kind<F>{}));
}

template <class... F>
struct columns_of {
  static std::vector<number_column> all() {
    std::vector<number_column> out;
    (add<F>(out), ...);
    return out;
  }
};

/// Where the global numbers lie, each column once. A number is given to one fact, so all are looked at together.
std::vector<number_column> number_columns() { return made_of<columns_of, all_facts>::all(); }

/// A SELECT of every number that was given, as often as it was; NULL is none.
std::string numbers_given_sql() {
  std::string out;
  for (const auto& each : number_columns())
    out.append(out.empty() ? "SELECT " : " UNION ALL SELECT ")
      .append(each.column)
      .append(" AS seq FROM ")
      .append(each.table)
      .append(" WHERE ")
      .append(each.column)
      .append(" IS NOT NULL");
  return out;
}

/// A scalar: the last number that was given, 0 for none.
std::string last_number_sql() {
  std::string out = "greatest(0";
  for (const auto& each : number_columns())
    out.append(", (SELECT max(").append(each.column).append(") FROM ").append(each.table).append(")");
  return out + ")";
}

std::map<std::int32_t, side_totals> totals_from(const rows& found) {
  const column<std::int32_t> id{found, "id"};
  const column<std::int64_t> bullish{found, "bullish"};
  const column<std::int64_t> bearish{found, "bearish"};
  std::map<std::int32_t, side_totals> out;
  for (int i = 0; i < found.count(); ++i)
    out[id[i]] = {bullish[i], bearish[i]};
  return out;
}

/// One statement for each promise: all of them are known before the first one is checked, so that it can be told how
/// far it is.
struct statement_to_check {
  promise about;
  std::string sql;
  double cost = 0; // as PostgreSQL's planner has it
};

double planned_cost(connection& on, const std::string& sql, steady_time deadline) {
  const auto plan = on.exec_params(("EXPLAIN " + sql).c_str(), deadline);
  const auto first = column<std::string>{plan, "QUERY PLAN"}[0]; // `Limit  (cost=12.34..56.78 rows=9 width=40)`
  double cost = 0;
  if (const auto at = first.find(".."); at != std::string::npos)
    std::from_chars(first.data() + at + 2, first.data() + first.size(), cost);
  return cost;
}

statement_to_check statement_of(connection& on, const promise& about, steady_time deadline) {
  auto sql = "SELECT count(*) OVER () AS differences, difference FROM (" + about.sql + ") AS found (difference) LIMIT "
             + std::to_string(examples_max);
  const auto cost = planned_cost(on, sql, deadline);
  return {about, std::move(sql), cost};
}

std::vector<statement_to_check> statements(connection& on, steady_time deadline) {
  std::vector<statement_to_check> out;
  for (const auto& each : all_promises())
    out.push_back(statement_of(on, each, deadline));
  out.push_back(statement_of(
    on,
    {"", "global_numbers",
     "every global number is given once, to a vote, a tip, a grant, a voting period, a trade, a transfer, a freeze,"
     " what happens to a slash or a record, and none is left out",
     "SELECT format('number %s comes after %s', seq, before)"
     " FROM (SELECT seq, lag(seq, 1, 0::bigint) OVER (ORDER BY seq) AS before FROM ("
       + numbers_given_sql() + ") given) each WHERE seq <> before + 1"},
    deadline));
  out.push_back(
    statement_of(on,
                 {"", "batches", "the last batch ends with the last number given",
                  "SELECT format('the last batch ends with number %s, the last one given is %s', ends, given)"
                  " FROM (SELECT coalesce((SELECT max(last_seq) FROM shard_owners), 0) AS ends, "
                    + last_number_sql() + " AS given) last WHERE ends <> given"},
                 deadline));
  return out;
}

verified check(connection& on, const statement_to_check& statement, steady_time deadline) {
  verified out{statement.about.name, statement.about.words, 0, {}};
  const auto found = on.exec_params(statement.sql.c_str(), deadline);
  const column<std::int64_t> differences{found, "differences"};
  const column<std::string> example{found, "difference"};
  for (int i = 0; i < found.count(); ++i) {
    out.differences = differences[i];
    out.examples.push_back(example[i]);
  }
  return out;
}

} // namespace

const std::vector<promise>& all_promises() {
  static const auto all = read_promises();
  return all;
}

std::vector<promise> promises_of(std::string_view entity) {
  std::vector<promise> out;
  for (const auto& each : all_promises())
    if (each.entity == entity)
      out.push_back(each);
  return out;
}

std::vector<verified> verify_stored(connection& on, steady_time deadline, ops::progress& told) {
  std::vector<verified> out;
  const read_snapshot snapshot{on, deadline};
  const auto all = statements(on, deadline);
  for (const auto& each : all)
    told.expect(each.cost);
  told.expect(checked_user_weight * last_user(on, deadline));
  for (const auto& each : all) {
    told.begin(each.about.name, each.cost);
    out.push_back(check(on, each, deadline));
  }
  out.push_back(check_scores(on, deadline, checked_together, told));
  return out;
}

std::map<std::int32_t, side_totals> count_by_project(connection& on, steady_time deadline) {
  return totals_from(on.exec_params("SELECT j.id, count(v.number) FILTER (WHERE v.bullish) AS bullish,"
                                    " count(v.number) FILTER (WHERE NOT v.bullish) AS bearish"
                                    " FROM projects j LEFT JOIN votes v ON v.project_id = j.id GROUP BY j.id",
                                    deadline));
}

std::map<std::int32_t, side_totals> count_by_profile(connection& on, std::int32_t most, steady_time deadline) {
  return totals_from(on.exec_params(
    "WITH live AS (SELECT id, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS all_of_them FROM profiles "
    "WHERE NOT archived),"
    " chosen AS (SELECT id FROM live WHERE place % greatest(all_of_them / $1::int4, 1) = 0 LIMIT $1::int4)"
    " SELECT c.id, count(v.number) FILTER (WHERE v.bullish) AS bullish, count(v.number) FILTER (WHERE NOT v.bullish) "
    "AS bearish FROM chosen c"
    " LEFT JOIN votes v ON v.voter_id = c.id AND v.period_id = (SELECT id FROM voting_periods WHERE closed_at IS NULL)"
    " GROUP BY c.id",
    parameters{}.int4(most), deadline));
}

} // namespace credence::persistence
