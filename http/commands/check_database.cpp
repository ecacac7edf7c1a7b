// The contract with the database, as far as it can be tested: what was acknowledged is on a quorum; an epoch never goes
// back; one server at a time takes writes (ops/decisions/0071).
#include "actors/domain/time.hpp"
#include "http/commands/command.hpp"
#include "http/commands/database_looks.hpp"
#include "persistence/postgres/url.hpp"
#include "persistence/replication.hpp"
#include "persistence/writer/takeover.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;
using persistence::connection;
using persistence::database_error;
using persistence::deadline_in;
using persistence::trouble;

constexpr auto host_patience = 5s; // for a connection to each, and for each question
constexpr auto commit_patience = 5s;
constexpr auto note_patience = 5s;
constexpr auto statement_bound = 200ms; // that a session asks for
constexpr auto too_long_for_it = "SELECT pg_sleep(3)";
constexpr auto application_name = "credence-check-database";
constexpr int commits = 5;

/// One host of the URL.
struct seen_host {
  std::string name;
  std::int64_t cluster = 0;
  bool primary = false;
  std::int32_t timeline = 0;
};

class database_check {
public:
  explicit database_check(const settings::all& with) : with_(with) {}

  findings all() {
    look_at_hosts();
    try {
      static_cast<void>(connect(with_, "check-database"));
    } catch (const ending& why) {
      note("database", false, why.why);
      return std::move(found_);
    }
    look("sessions", [this](connection& on) { look_at_sessions(on); });
    look("durability", [this](connection& on) { look_at_durability(found_, on, soon()); });
    look("replication", [this](connection& on) { look_at_replication(found_, on, soon()); });
    look("role", [this](connection& on) { look_at_role(found_, on, soon()); });
    look("schema", [this](connection& on) { look_at_schema(found_, on, soon()); });
    look("clock", [this](connection& on) { look_at_clock(found_, on, soon()); });
    look("epochs", [this](connection& on) { look_at_owner(on); });
    look("commit", [this](connection& on) { look_at_commits(on); });
    look("warnings", [this](connection& on) { look_at_warnings(on); });
    look("timeouts", [this](connection&) { look_at_timeouts(); });
    return std::move(found_);
  }

private:
  void note(std::string of, bool good, std::string text) { found_.note(std::move(of), good, std::move(text)); }
  /// Its text depends on how it came out.
  void note(std::string of, bool good, const char* right, const char* wrong) {
    note(std::move(of), good, std::string{good ? right : wrong});
  }

  // -- hosts ---------------------------------------------------------------------------

  void look_at_hosts() {
    auto options = persistence::parts_of(with_.store.database_url);
    const auto hosts = persistence::take_hosts(options);
    options["target_session_attrs"] = "any";
    std::vector<seen_host> seen;
    for (const auto& each : hosts) {
      auto of_one = options;
      for (const auto& [keyword, value] : each.where)
        of_one[keyword] = value;
      const auto name = "host " + (each.name.empty() ? std::string{"of libpq"} : each.name);
      try {
        seen.push_back(look_at_host(name, persistence::url_of(of_one)));
      } catch (const database_error& why) {
        note(name, false, std::string{why.what()} + ": bring it back, or take it out of store.database_url");
      }
    }
    compare(seen);
  }

  seen_host look_at_host(const std::string& name, const secret& url) {
    connection on{url, session(), host_patience};
    const auto row = on.exec_params("SELECT current_setting('server_version') AS version,"
                                    " (SELECT system_identifier FROM pg_control_system()) AS cluster",
                                    soon());
    const auto how = persistence::look_at_replication(on, soon());
    const seen_host out{name, row.first<std::int64_t>("cluster"), !how.in_recovery, how.timeline};
    note(name, true,
         (out.primary ? "primary" : "standby") + std::string{", PostgreSQL "} + row.first<std::string>("version")
           + ", timeline " + std::to_string(out.timeline));
    return out;
  }

  void compare(const std::vector<seen_host>& seen) {
    const auto primary = std::find_if(seen.begin(), seen.end(), [](const seen_host& each) { return each.primary; });
    const auto primaries = std::count_if(seen.begin(), seen.end(), [](const seen_host& each) { return each.primary; });
    if (primaries != 1)
      return note("primary", false,
                  primaries == 0
                    ? std::string{"no host takes writes: promote one, or start what does"}
                    : std::to_string(primaries)
                        + " hosts take writes: what is written to one is not on the other. Stop all but one, and"
                          " make the others its standbys (pg_rewind, pg_basebackup)");
    note("primary", true, primary->name + " is the only one");
    for (const auto& each : seen)
      if (each.cluster != primary->cluster)
        note(each.name, false,
             "it is another cluster than the primary: take it out of store.database_url, or make it a standby "
             "(pg_basebackup)");
      else if (each.timeline != primary->timeline)
        note(each.name, false,
             "it tells another timeline than the primary, as a standby may for minutes behind a failover; if that "
             "stays so, rejoin it (pg_rewind)");
  }

  // -- what a server does with it ---------------------------------------------------------

  persistence::session session(std::chrono::milliseconds statement_timeout = 0ms) const {
    persistence::session out;
    out.application_name = application_name;
    out.statement_timeout = statement_timeout;
    return out;
  }
  connection another() const { return {with_.store.database_url, session(), host_patience}; }

  static steady_time soon() { return deadline_in(host_patience); }

  /// One thing on a connection of its own, so that one that cannot be looked at hides no other.
  template <class Look>
  void look(const char* of, Look with) {
    try {
      auto on = another();
      with(on);
    } catch (const database_error& why) {
      note(of, false, why.what());
    }
  }

  /// Who owns the database, and whether the table still refuses an epoch that goes back.
  void look_at_owner(connection& on) {
    const auto guard = on.exec_params(
      "SELECT count(*) FROM pg_trigger WHERE tgname = 'check_owner' AND tgrelid = to_regclass('shard_owners')"
      " AND tgenabled IN ('O', 'A')",
      soon());
    const bool guarded = guard.value<std::int64_t>() == 1;
    note("epochs", guarded, "the table refuses one that goes back",
         "the trigger check_owner on shard_owners is missing or switched off, so that a server which was shut out "
         "could come back:"
         " restore it (persistence/migrations/0001_service.sql)");
    if (!guarded)
      return;
    const auto owner = on.exec_params(
      "SELECT owner, epoch, lease_until > clock_timestamp() AS held FROM shard_owners WHERE shard = 1", soon());
    if (owner.empty())
      return note("owner", true, "no server has owned it yet");
    note("owner", true,
         owner.first<std::string>("owner") + ", epoch " + std::to_string(owner.first<std::int64_t>("epoch"))
           + (owner.first<std::optional<bool>>("held").value_or(false) ? ", whose lease runs"
                                                                       : ", without a lease that runs"));
  }

  /// Leaves nothing but a few bytes in the log of PostgreSQL, which no standby can do without.
  void look_at_commits(connection& on) {
    std::vector<std::chrono::nanoseconds> took;
    const auto waiting = persistence::read_backend(on, soon());
    try {
      for (int i = 0; i < commits; ++i) {
        const auto until = deadline_in(commit_patience);
        persistence::transaction all{on, until};
        on.exec("SELECT pg_logical_emit_message(true, 'credence', 'check-database')", until);
        const auto began = steady_clock::now();
        all.commit(until);
        took.push_back(steady_clock::now() - began);
      }
    } catch (const database_error& why) {
      if (why.why()
          == trouble::deadline) { // what waits for a standby notices neither that nobody listens any more nor a timeout
        auto ending = another();
        persistence::end_backend(ending, waiting, application_name, soon());
      }
      return note("commit", false,
                  why.why() == trouble::deadline
                    ? "it is not through within five seconds: it waits for a standby that is not there, or for the disk"
                    : why.what());
    }
    std::sort(took.begin(), took.end());
    const auto ms = [](std::chrono::nanoseconds time) {
      char text[32];
      std::snprintf(text, sizeof text, "%.1f ms", std::chrono::duration<double, std::milli>{time}.count());
      return std::string{text};
    };
    note("commit", true,
         "takes " + ms(took[took.size() / 2]) + ", of " + std::to_string(commits) + " the longest " + ms(took.back()));
  }

  /// A COMMIT without a transaction is a success with a warning, as one is that a standby does not have.
  void look_at_warnings(connection& on) {
    bool told = false;
    try {
      on.commit(soon());
    } catch (const database_error& why) {
      told = why.sqlstate() == "01000";
      if (!told)
        return note("warnings", false, why.what());
    }
    note("warnings", told,
         "one that comes with a commit arrives, so that what is on the primary alone is not taken for acknowledged",
         "one that comes with a commit does not arrive, so that what is on the primary alone would be taken for "
         "acknowledged: set client_min_messages"
         " of the role and the database to warning or lower, and look at what is between");
  }

  void look_at_timeouts() {
    connection on{with_.store.database_url, session(statement_bound), host_patience};
    bool held = false;
    try {
      on.exec(too_long_for_it, soon());
    } catch (const database_error& why) {
      held = why.sqlstate() == "57014";
      if (!held)
        return note("timeouts", false, why.what());
    }
    note("timeouts", held, "a session's own statement_timeout holds",
         "a session's own statement_timeout does not hold: something between drops the settings of sessions");
  }

  // -- whether sessions are ours -------------------------------------------------------------

  static std::int32_t backend_of(connection& on) {
    return on.exec_params("SELECT pg_backend_pid()", soon()).value<std::int32_t>();
  }

  /// A pooler gives a transaction the server's session that was used last: after two that overlap each has the other's.
  void look_at_sessions(connection& first) {
    auto second = another();
    first.exec("BEGIN", soon());
    const auto before = backend_of(first);
    second.exec("BEGIN; SELECT pg_backend_pid()", soon());
    first.exec("COMMIT", soon());
    second.exec("COMMIT", soon());
    const bool ours = backend_of(first) == before;
    note("sessions", ours, "a connection is a session of PostgreSQL",
         "connections share sessions, as behind a pooler in transaction mode: connect to PostgreSQL itself, or have "
         "the pooler keep sessions");
    if (!ours)
      return; // nothing below can hold
    look_at_locks(first, second);
    look_at_notes(first, second);
  }

  void look_at_locks(connection& first, connection& second) {
    const auto key = persistence::parameters{}.int8(static_cast<std::int64_t>(::getpid()) << 32 | 7021);
    const auto ask = [&](connection& by, const char* sql) { return by.exec_params(sql, key, soon()).value<bool>(); };
    constexpr auto take = "SELECT pg_try_advisory_lock($1::int8)";
    constexpr auto give_back = "SELECT pg_advisory_unlock($1::int8)";
    const bool taken = ask(first, take);
    const bool shared = ask(second, take);
    const bool given = ask(first, give_back);
    note("advisory locks", taken && !shared && given, "one session has what another one has not",
         "two sessions can have the same one");
  }

  void look_at_notes(connection& first, connection& second) {
    const auto channel = "credence_check_" + std::to_string(::getpid());
    try {
      first.exec("LISTEN " + channel, soon());
      second.exec("NOTIFY " + channel + ", 'here'", soon());
      const auto came = first.notes(deadline_in(note_patience));
      note(
        "notifications", !came.empty(), "what one session tells by NOTIFY another one hears",
        "what one session tells by NOTIFY another one does not hear: changes by commands would not reach the server");
    } catch (const database_error& why) {
      note("notifications", false, why.what());
    }
  }

  const settings::all& with_;
  findings found_;
};

} // namespace

int check_database(const command_line& line) {
  const auto with = good_settings(line);
  if (with.store.database_url.empty())
    throw ending{usage, "no database is named: give --database-url, CREDENCE_STORE_DATABASE_URL or store.database_url"};
  return database_check{with}.all().tell(line.json);
}

} // namespace credence::commands
