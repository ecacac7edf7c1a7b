#include "actors/domain/time.hpp"
#include "auth/wallet_keys_local.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "persistence/migrations/migrate.hpp"
#include "persistence/postgres/url.hpp"
#include "persistence/replication.hpp"
#include "persistence/writer/takeover.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace credence::commands {

using namespace std::chrono_literals;
using persistence::connection;
using persistence::database_error;
using persistence::deadline_in;
using persistence::trouble;

namespace {

/// What one look came to.
struct finding {
  std::string of;    // what was looked at
  bool good = false; // else `text` says what to do
  std::string text;
};

/// What several looks came to, in their order.
class findings {
public:
  void note(std::string of, bool good, std::string text) { all_.push_back({std::move(of), good, std::move(text)}); }
  /// Prints them, a line each or as JSON; the exit code: 1 when one is not good.
  int tell(bool json) const;

private:
  std::vector<finding> all_;
};

// -- looks at a database: they change nothing, and throw `database_error` --------------

int findings::tell(bool json) const {
  print_rows(
    json, all_,
    [](auto& to, const finding& each) {
      to.field("of", each.of);
      to.field("ok", each.good);
      to.field("text", each.text);
    },
    [](const finding& each) { return (each.good ? "ok     " : "WRONG  ") + each.of + ": " + each.text; });
  return std::all_of(all_.begin(), all_.end(), [](const finding& each) { return each.good; }) ? ok : failed;
}

/// Whether what is committed survives a crash, by the settings that a session of the server's has.
void look_at_durability(findings& to, connection& on, steady_time until) {
  const auto unfit = persistence::unfit(on, until);
  to.note("durability", !unfit, unfit.value_or("what is committed survives a crash"));
}

/// Whether as many standbys stream as a commit waits for.
void look_at_replication(findings& to, connection& on, steady_time until) {
  const auto seen = persistence::look_at_replication(on, until);
  const auto connected =
    std::to_string(seen.standbys.size()) + (seen.standbys.size() == 1 ? " standby is" : " standbys are") + " connected";
  if (seen.hidden && (seen.needed > 0 || !seen.standbys.empty()))
    return to.note("replication", false, connected + ", but " + persistence::how_to_see_standbys);
  if (seen.needed == 0)
    return to.note("replication", true,
                   connected + ", and a commit waits for none: what is acknowledged is on the primary alone");
  const auto there = seen.there();
  const auto text = "a commit waits for " + std::to_string(seen.needed)
                    + " of the standbys that synchronous_standby_names names, and " + std::to_string(there)
                    + " of these stream";
  to.note("replication", there >= seen.needed,
          there >= seen.needed ? text : text + ": bring them back, or no write is acknowledged");
}

/// Whether the server's role reads and writes rows and can do no more.
void look_at_role(findings& to, connection& on, steady_time until) {
  const auto row = on.exec_params(
    "SELECT current_user::text AS name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,"
    " EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    "  WHERE n.nspname = 'public' AND pg_has_role(current_user, c.relowner, 'USAGE')) AS is_owner,"
    " (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public'"
    "  AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT')) AS hidden",
    until);
  const auto name = row.first<std::string>("name");
  if (row.first<bool>("is_superuser") || row.first<bool>("is_owner"))
    return to.note("role", false,
                   name
                     + " may change tables: the server needs a role that only reads and writes rows, as ops/roles.sql "
                       "makes; give that one in"
                       " store.database_url");
  if (const auto hidden = row.first<std::int64_t>("hidden"); hidden > 0)
    return to.note(
      "role", false,
      name + " may not read " + std::to_string(hidden)
        + " tables: run `credence migrate up` as the role that ops/roles.sql grants its rights for, credence_owner");
  to.note("role", true, name + " reads and writes rows alone");
}

/// Which schema there is, and whether it is the one of this build.
void look_at_schema(findings& to, connection& on, steady_time until) {
  const auto* stale = persistence::what_to_do(persistence::check_schema(on, until));
  std::string last = "none";
  for (const auto& each : persistence::migration_list(on, until))
    if (each.state != persistence::migration_state::pending)
      last = each.name;
  const auto text = "the last migration is " + last;
  to.note("schema", !stale, stale ? text + "; " + stale : text + ", as in this build");
}

/// Which PostgreSQL it is, and whether it counts texts by their characters.
void look_at_postgresql(findings& to, connection& on, steady_time until) {
  const auto row = on.exec_params(
    "SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding", until);
  const auto encoding = row.first<std::string>("encoding");
  const auto text = "connected to PostgreSQL " + row.first<std::string>("version") + ", " + encoding;
  const bool good = encoding == "UTF8";
  to.note("database", good,
          good ? text
               : text
                   + ": texts are told apart and counted by bytes; dump it and restore it into a database that"
                     " ops/roles.sql has made, which is UTF8");
}

/// Whether PostgreSQL's clock shows what that of this machine does.
void look_at_clock(findings& to, connection& on, steady_time until) {
  const auto before = system_now();
  const auto theirs = on.exec_params("SELECT clock_timestamp()", until).value<timestamp>();
  const auto after = system_now();
  using std::chrono::milliseconds;
  const auto apart = theirs < before ? before - theirs : theirs > after ? theirs - after : timestamp::duration{0};
  const auto text = std::to_string(std::chrono::duration_cast<milliseconds>(apart).count()) + " ms from PostgreSQL's";
  to.note("clock", apart < clock_difference_max, apart < clock_difference_max ? text : text + ": set both by NTP");
}

/// Whether those that the settings make admins are there: an id that nobody has is that of whoever joins next.
void look_at_admins(findings& to, connection& on, steady_time until, const settings::all& with) {
  const auto& admins = with.auth.admins;
  if (admins.empty())
    return to.note("admins", true, "auth.admins names nobody; credence console-link signs an admin in at the console");
  if (!on.exec_params("SELECT coalesce(has_table_privilege(to_regclass('public.profiles'), 'SELECT'), false)", until)
         .value<bool>())
    return; // as the schema or the role says
  persistence::binary_array ids{persistence::sql_type::int4};
  for (const auto each : admins)
    ids.int4(each);
  const auto absent =
    on.exec_params("SELECT a.id FROM unnest($1::int4[]) AS a (id) WHERE NOT EXISTS (SELECT FROM profiles p"
                   " WHERE p.id = a.id) ORDER BY a.id",
                   persistence::parameters{}.array(ids), until)
      .all<std::int32_t>("id");
  if (absent.empty())
    return to.note("admins", true, std::to_string(admins.size()) + (admins.size() == 1 ? " profile" : " profiles"));
  const auto text = "auth.admins names " + std::to_string(absent.front()) + ", an id that nobody has";
  if (with.people.open_registration)
    return to.note("admins", false, text + ": whoever joins may get it; take it out, or end people.open_registration");
  to.note("admins", true, text + "; its profile is to be made before people.open_registration lets others join");
}

/// Looks at one thing after the other; nothing is changed.
class examination {
public:
  explicit examination(const command_line& line) : loaded_(load_settings(line)), with_(loaded_.values) {}

  findings all() {
    note("version", true, "credence " CREDENCE_VERSION);
    look_at_settings();
    look_at_data();
    look_at_ports();
    look_at_database();
    return std::move(found_);
  }

private:
  void note(const char* of, bool good, std::string text) { found_.note(of, good, std::move(text)); }

  void look_at_settings() {
    for (const auto& mistake : loaded_.mistakes)
      note("settings", false, mistake);
    if (loaded_.mistakes.empty())
      note("settings", true, std::to_string(loaded_.list.size()) + " settings are good");
  }

  void look_at_data() {
    struct stat at {};
    if (::stat(with_.data_dir.c_str(), &at) != 0)
      return note("data directory", false,
                  with_.data_dir + " is not there: create it for the user of the server alone, or name it by data_dir");
    if ((at.st_mode & 077) != 0)
      return note("data directory", false, "others may look into " + with_.data_dir + ": chmod 700 " + with_.data_dir);
    if (::access(with_.data_dir.c_str(), R_OK | W_OK | X_OK) != 0)
      return note("data directory", false,
                  with_.data_dir + " cannot be used by this user: run this as the user of the server");
    const auto* owner = ::getpwuid(at.st_uid);
    note("data directory", true,
         with_.data_dir + ", of " + (owner ? owner->pw_name : "uid " + std::to_string(at.st_uid)));
    look_at_keys();
  }

  void look_at_keys() {
    if (with_.auth.token_secret.empty() && ::access((with_.data_dir + "/token.key").c_str(), F_OK) != 0) {
      note("signing keys", true, "the first start makes " + with_.data_dir + "/token.key");
    } else {
      try {
        const auto rules = token_rules(with_);
        note("signing keys", true,
             rules.key.id() + " signs, " + std::to_string(rules.older.size()) + " older ones are believed");
      } catch (const std::runtime_error& why) {
        note("signing keys", false, why.what());
      }
    }
    try {
      note("master key", true,
           open_wallet_keys(with_) ? "managed wallets can be used" : "none: there are no managed wallets");
    } catch (const ending& why) {
      note("master key", false, why.why);
    }
  }

  void look_at_ports() {
    look_at_port("public port", with_.http.address, with_.http.port);
    look_at_port("operator port", with_.http.operator_address, with_.http.operator_port);
    if (with_.console.listener)
      look_at_port("admin port", with_.console.address, with_.console.port);
  }

  void look_at_port(const char* of, const std::string& address, std::uint16_t port) {
    const auto text = address + ":" + std::to_string(port);
    switch (const int why = taking(address, port); why) {
      case 0: return note(of, true, text + " is free");
      case EADDRINUSE: return note(of, true, text + " is taken, which is right while the server runs");
      default: return note(of, false, text + ": " + std::strerror(why));
    }
  }

  /// Why this address cannot be taken; 0 where it can.
  static int taking(const std::string& address, std::uint16_t port) {
    union {
      sockaddr any;
      sockaddr_in four;
      sockaddr_in6 six;
    } at{};
    socklen_t size = 0;
    if (::inet_pton(AF_INET, address.c_str(), &at.four.sin_addr) == 1) {
      at.four.sin_family = AF_INET;
      at.four.sin_port = htons(port);
      size = sizeof at.four;
    } else if (::inet_pton(AF_INET6, address.c_str(), &at.six.sin6_addr) == 1) {
      at.six.sin6_family = AF_INET6;
      at.six.sin6_port = htons(port);
      size = sizeof at.six;
    } else {
      return EADDRNOTAVAIL;
    }
    const int probe = ::socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int reuse = 1;
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    const int why = probe >= 0 && ::bind(probe, &at.any, size) == 0 ? 0 : errno;
    if (probe >= 0)
      ::close(probe);
    return why;
  }

  void look_at_database() {
    const auto until = persistence::deadline_in(30s);
    try {
      auto on = connect(with_, "doctor");
      look_at_postgresql(found_, on, until);
      look_at_durability(found_, on, until);
      look_at_replication(found_, on, until);
      look_at_role(found_, on, until);
      look_at_schema(found_, on, until);
      look_at_clock(found_, on, until);
      look_at_admins(found_, on, until, with_);
    } catch (const ending& why) {
      note("database", false, why.why);
    } catch (const persistence::database_error& why) {
      note("database", false, why.what());
    }
  }

  settings::loaded loaded_;
  const settings::all& with_;
  findings found_;
};

} // namespace

int doctor(const command_line& line) { return examination{line}.all().tell(line.json); }

// The contract with the database, as far as it can be tested: what was acknowledged is on a quorum; an epoch never goes
// back; one server at a time takes writes (ops/decisions/0071).

namespace {

constexpr auto host_timeout = 5s; // for a connection to each, and for each question
constexpr auto commit_timeout = 5s;
constexpr auto note_timeout = 5s;
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
    connection on{url, session(), host_timeout};
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
  connection another() const { return {with_.store.database_url, session(), host_timeout}; }

  static steady_time soon() { return deadline_in(host_timeout); }

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
        const auto until = deadline_in(commit_timeout);
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
    connection on{with_.store.database_url, session(statement_bound), host_timeout};
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
      const auto came = first.notes(deadline_in(note_timeout));
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
