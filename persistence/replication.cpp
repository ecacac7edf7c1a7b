#include "persistence/replication.hpp"

#include "ops/log.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

constexpr auto replication_look_every = 5s;
constexpr auto replication_connect_slice = 100ms;

constexpr auto server_sql =
  "SELECT pg_is_in_recovery() AS in_recovery, current_setting('synchronous_standby_names') AS names,"
  " pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all,"
  " CASE WHEN pg_is_in_recovery() THEN coalesce((SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id "
  "FROM pg_control_checkpoint()))"
  // The name of a file of the log begins with it.
  "  ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int4 END AS timeline";

// The end of the log is where that of a standby is received, where a standby is asked that has others behind it.
constexpr auto standbys_sql =
  "SELECT application_name AS name, coalesce(state, '') AS state, coalesce(sync_state, '') AS sync_state,"
  " coalesce(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() "
  "END, replay_lsn), 0)::int8"
  "  AS lag_bytes,"
  " extract(epoch FROM replay_lag)::float8 AS lag_seconds FROM pg_stat_replication ORDER BY application_name, pid "
  "LIMIT 32";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Takes a word of letters at the beginning, whatever its case; false when it is another.
bool take_word(std::string_view& from, std::string_view lower) {
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  if (from.size() <= lower.size()
      || !std::equal(lower.begin(), lower.end(), from.begin(), [&](char a, char b) { return same(b, a); })
      || from[lower.size()] != ' ')
    return false;
  from = trimmed(from.substr(lower.size()));
  return true;
}

} // namespace

standby_rule standby_rule::read(std::string_view setting) {
  auto rest = trimmed(setting);
  if (rest.empty())
    return {};
  standby_rule out{1, 0};
  if (!take_word(rest, "any"))
    take_word(rest, "first");
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  const auto behind = error == std::errc{} ? trimmed({end, static_cast<std::size_t>(rest.data() + rest.size() - end)})
                                           : std::string_view{};
  if (behind.starts_with('(') && behind.ends_with(')')) {
    out.needed = count;
    rest = behind.substr(1, behind.size() - 2);
  }
  bool quoted = false;
  std::string_view name;
  for (std::size_t begin = 0, at = 0; at <= rest.size(); ++at) {
    quoted = quoted != (at < rest.size() && rest[at] == '"');
    if (at < rest.size() && (quoted || rest[at] != ','))
      continue;
    name = trimmed(rest.substr(begin, at - begin));
    begin = at + 1;
    if (name == "*")
      return {out.needed, out.needed + 1};
    ++out.named;
  }
  return out;
}

ops::replication look_at_replication(connection& on, steady_time deadline) {
  const auto server = on.exec_params(server_sql, deadline);
  ops::replication out;
  out.in_recovery = server.first<bool>("in_recovery");
  out.timeline = server.first<std::optional<std::int32_t>>("timeline").value_or(0);
  out.hidden = !server.first<bool>("sees_all");
  const auto rule = standby_rule::read(server.first<std::string_view>("names"));
  out.needed = rule.needed;
  out.named = rule.named;
  out.standbys = all_of(on.exec_params(standbys_sql, deadline),
                        CREDENCE_FIELDS(ops::standby_of_database, name, state, sync_state, lag_bytes, lag_seconds));
  return out;
}

replication_watch::replication_watch(const settings::store& how)
  : how_(how), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void replication_watch::run(const std::stop_token& stop) const {
  session mine;
  mine.application_name = "credence-replication";
  mine.statement_timeout = how_.load_timeout;
  std::optional<connecting> attempt;
  std::optional<connection> on;
  std::string last_error;
  std::mutex guard;
  std::condition_variable_any never;
  std::unique_lock lock{guard};
  while (!stop.stop_requested()) {
    auto pause = milliseconds{replication_look_every};
    try {
      if (!on) {
        if (!attempt)
          attempt.emplace(how_.database_url, mine, how_.connect_timeout);
        on = attempt->go_on(replication_connect_slice);
      }
      if (on) {
        attempt.reset();
        ops::the_replication().put(look_at_replication(*on, deadline_in(how_.load_timeout)));
        last_error.clear();
      } else {
        pause = 0ms;
      }
    } catch (const database_error& why) {
      attempt.reset();
      on.reset();
      ops::the_replication().put(std::nullopt);
      if (why.why() == trouble::refused && std::exchange(last_error, why.what()) != why.what())
        ops::log(ops::level::warn, "replication_not_seen", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
    }
    never.wait_for(lock, stop, pause, [] { return false; });
  }
}

} // namespace credence::persistence
