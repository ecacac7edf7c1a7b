#include "persistence/migrations/migrate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

struct embedded_file {
  const char* name;
  const char* text;
};

constexpr embedded_file files[] = {
#include "migrations.inc"
};

/// Any number, as long as no other program locks it: "credence" in ASCII.
constexpr std::int64_t migration_lock = 0x63726564656E6365;
constexpr auto ask_again_after = 50ms;
constexpr auto try_again_after = 500ms;

int version_of(std::string_view name) {
  int version = 0;
  std::from_chars(name.data(), name.data() + name.size(), version);
  return version;
}

bool has_history(connection& on, steady_time deadline) {
  return on.exec_params("SELECT to_regclass('schema_migrations') IS NOT NULL", deadline).value<bool>();
}

/// SHA-256 of a migration's text in hex, computed by a database, once for each text: a standby looks every second.
std::string checksum(connection& on, std::string_view text, steady_time deadline) {
  static std::mutex guard;
  static std::map<std::string, std::string, std::less<>> known;
  {
    const std::lock_guard lock{guard};
    if (const auto found = known.find(text); found != known.end())
      return found->second;
  }
  auto sum =
    on.exec_params("SELECT encode(sha256(convert_to($1::text, 'UTF8')), 'hex')", parameters{}.text(text), deadline)
      .value<std::string>();
  const std::lock_guard lock{guard};
  known.emplace(text, sum);
  return sum;
}

std::string in_quotes(std::string_view name) { return "migration " + std::string{name}; }

/// Keeps other programs from migrating the same database while it lives.
class only_one {
public:
  only_one(connection& on, steady_time deadline) : on_(on), deadline_(deadline) {
    // Asked again and again instead of waited for: the session's lock timeout is meant
    // for tables, and another program's migrations may well take longer.
    while (!on_.exec_params("SELECT pg_try_advisory_lock($1::int8)", parameters{}.int8(migration_lock), deadline_)
              .value<bool>()) {
      if (deadline_in(ask_again_after) >= deadline_)
        throw migration_error("another program has been migrating this database all the time");
      std::this_thread::sleep_for(ask_again_after);
    }
  }
  only_one(const only_one&) = delete;
  only_one& operator=(const only_one&) = delete;
  ~only_one() {
    try {
      if (on_.open())
        on_.exec_params("SELECT pg_advisory_unlock($1::int8)", parameters{}.int8(migration_lock), deadline_);
    } catch (const database_error&) {
      // The lock is the session's, so it cannot outlive it.
      on_.close();
    }
  }

private:
  connection& on_;
  steady_time deadline_;
};

/// The last version applied, after making sure that one may go on from there.
int may_go_on_from(const std::vector<migration_status>& list) {
  int last = 0;
  int before = 0;
  for (const auto& each : list) {
    if (each.version != before + 1)
      throw migration_error(in_quotes(each.name) + " is there, but none with the number before it");
    before = each.version;
    if (each.state == migration_state::unknown)
      throw migration_error("the database has " + in_quotes(each.name)
                            + ", which this build does not know: use a newer build");
    if (each.state == migration_state::changed)
      throw migration_error(in_quotes(each.name) + " was applied from another text than this build has");
    if (each.state == migration_state::pending)
      continue;
    if (last != each.version - 1)
      throw migration_error(in_quotes(each.name) + " is applied, but not the one before it");
    last = each.version;
  }
  return last;
}

/// A function may name a table of a later area: what it names is looked up when it is called.
constexpr auto in_a_migration =
  "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0; SET LOCAL check_function_bodies = off";

void note_applied(connection& on, const migration& step, steady_time deadline) {
  on.exec_params("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1::int4, $2::text, $3::text)",
                 parameters{}.int4(step.version).text(step.name).text(checksum(on, step.text, deadline)), deadline);
}

void apply_once(connection& on, const migration& step, steady_time deadline) {
  transaction all_of_it{on, deadline};
  on.exec(in_a_migration, deadline);
  on.exec(std::string{step.text}, deadline);
  note_applied(on, step, deadline);
  all_of_it.commit(deadline);
}

/// Which other programs have locks of tables in this database, for the operator.
std::string holders_of_locks(connection& on, steady_time deadline) {
  const auto found = on.exec_params(
    "SELECT string_agg(coalesce(nullif(application_name, ''), usename, 'PostgreSQL') || ' (process ' || pid || ')',"
    " ', ' ORDER BY pid) AS who FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND pid IN (SELECT l.pid"
    " FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.granted AND c.relnamespace = 'public'::regnamespace"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
    deadline);
  return found.first<std::optional<std::string>>("who").value_or("nobody any more");
}

/// Tries again where others had locks that it needs, as long as that may take.
void apply(connection& on, const migration& step, steady_time deadline, milliseconds patience) {
  const auto until = std::min(deadline, deadline_in(patience));
  while (true) {
    try {
      return apply_once(on, step, deadline);
    } catch (const database_error& why) {
      const bool locked = why.sqlstate() == "55P03" || why.sqlstate() == "40P01"; // not available, a deadlock
      if (!locked || !on.open())
        throw;
      if (deadline_in(try_again_after) >= until)
        throw migration_error(in_quotes(step.name) + " was given up, and nothing of it is applied: other programs held"
                              + " locks of its tables all the time (" + holders_of_locks(on, deadline)
                              + "). Let them end, or end them, and migrate again");
    }
    std::this_thread::sleep_for(try_again_after); // statements that queued behind this lock go on
  }
}

/// Whether the database took the steps before the baseline: none of them, some, or all.
enum class former { none, some, all };

former former_steps(connection& on, steady_time deadline) {
  const auto digest = on.exec_params(
    "SELECT encode(sha256(convert_to(string_agg(concat_ws(' ', version, name, checksum), E'\n' ORDER BY version),"
    " 'UTF8')), 'hex') FROM schema_migrations HAVING bool_or(name = $1::text)",
    parameters{}.text(first_former_step), deadline);
  if (digest.count() == 0)
    return former::none;
  return column<std::string_view>{digest, "encode"}[0] == former_history_digest ? former::all : former::some;
}

/// Makes the history of a database that took the steps before the baseline that of the baseline.
void adopt_baseline(connection& on, std::span<const migration> build, steady_time deadline) {
  transaction all_of_it{on, deadline};
  on.exec(in_a_migration, deadline);
  on.exec(to_baseline(build), deadline);
  on.exec("DELETE FROM schema_migrations", deadline);
  for (const auto& each : build.first(baseline_migrations))
    note_applied(on, each, deadline);
  all_of_it.commit(deadline);
}

} // namespace

std::span<const migration> migrations_of_this_build() {
  static const auto all = [] {
    std::array<migration, std::size(files)> out;
    std::transform(std::begin(files), std::end(files), out.begin(), [](const embedded_file& file) {
      return migration{version_of(file.name), file.name, file.text};
    });
    return out;
  }();
  return all;
}

std::vector<migration_status> migration_list(connection& on, steady_time deadline, std::span<const migration> build) {
  std::map<int, migration_status> all;
  for (const auto& each : build)
    all[each.version] = {each.version, std::string{each.name}, migration_state::pending};
  if (has_history(on, deadline) && former_steps(on, deadline) != former::all) {
    const auto applied =
      on.exec_params("SELECT version, name, checksum FROM schema_migrations ORDER BY version", deadline);
    const column<std::int32_t> versions{applied, "version"};
    const column<std::string> name{applied, "name"};
    const column<std::string_view> sum{applied, "checksum"};
    for (int i = 0; i < applied.count(); ++i) {
      const auto version = versions[i];
      const auto known =
        std::find_if(build.begin(), build.end(), [&](const auto& each) { return each.version == version; });
      if (known == build.end())
        all[version] = {version, name[i], migration_state::unknown};
      else
        all[version].state =
          checksum(on, known->text, deadline) == sum[i] ? migration_state::applied : migration_state::changed;
    }
  }
  std::vector<migration_status> out;
  for (auto& [version, status] : all)
    out.push_back(std::move(status));
  return out;
}

schema_state check_schema(connection& on, steady_time deadline, std::span<const migration> build) {
  auto state = schema_state::current;
  for (const auto& each : migration_list(on, deadline, build)) {
    if (each.state == migration_state::unknown)
      return schema_state::ahead;
    if (each.state == migration_state::changed)
      return schema_state::changed;
    if (each.state == migration_state::pending)
      state = schema_state::behind;
  }
  return state;
}

const char* what_to_do(schema_state state) noexcept {
  switch (state) {
    case schema_state::current: return nullptr;
    case schema_state::behind: return "the database lacks migrations of this build: run `credence migrate up`";
    case schema_state::ahead: return "the database was migrated by a newer build: use that one";
    case schema_state::changed:
      return "a migration was applied to the database from another text than this build has:"
             " `credence migrate status` names it";
  }
  return "the schema of the database is unknown";
}

std::vector<int> migrate_up(connection& on, steady_time deadline, std::span<const migration> build, ops::progress& told,
                            milliseconds patience) {
  const only_one lock{on, deadline};
  on.exec("CREATE TABLE IF NOT EXISTS schema_migrations (version int PRIMARY KEY CHECK (version > 0),"
          " name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),"
          " applied_by text NOT NULL DEFAULT current_user)",
          deadline);
  switch (former_steps(on, deadline)) {
    case former::none: break;
    case former::some:
      throw migration_error("the database took other steps than the 53 before the baseline of 2026-11-29: bring it to "
                            "these with a build of "
                            "2026-11-29, or restore a backup of one that has them");
    case former::all: adopt_baseline(on, build, deadline); break;
  }
  const auto last = may_go_on_from(migration_list(on, deadline, build));
  std::vector<int> applied;
  told.expect(static_cast<double>(
    std::count_if(build.begin(), build.end(), [last](const auto& each) { return each.version > last; })));
  for (const auto& each : build)
    if (each.version > last) {
      told.begin(std::string{each.name}, 1);
      apply(on, each, deadline, patience);
      applied.push_back(each.version);
    }
  return applied;
}

} // namespace credence::persistence
