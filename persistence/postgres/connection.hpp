#pragma once

#include "actors/domain/time.hpp"
#include "config/secret.hpp"
#include "persistence/postgres/binary.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/postgres/error.hpp"
#include "persistence/postgres/rows.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct pg_conn;
struct pg_result;

/// PostgreSQL, as seen by this service. The only code that calls libpq. Nothing in
/// here waits without a deadline of our own: a server that hangs hangs nobody.
namespace credence::persistence {

using std::chrono::milliseconds;

/// The moment `from_now` from now on the steady clock.
inline steady_time deadline_in(milliseconds from_now) { return steady_clock::now() + from_now; }

/// How a session presents itself and what the server bounds for it.
struct session {
  std::string application_name = "credence";
  milliseconds statement_timeout{5000};           // the server's own; 0: none
  milliseconds lock_timeout{2000};                // 0: none
  milliseconds idle_in_transaction_timeout{5000}; // 0: none
  /// More settings for the session, such as `-c work_mem=16MB`.
  std::string options = {};
};

/// A statement that is prepared once for a connection, under a name of its own.
struct statement {
  std::string name;
  std::string sql;
};

/// A prepared statement and its parameters, for a pipeline.
struct pipelined {
  const char* name;
  const parameters* with;
};

/// One connection to PostgreSQL; not for use by two threads at once. Every call
/// throws `database_error`; after `lost` or `deadline` it is closed for good.
class connection {
public:
  /// Connects as `connecting` does. Name lookups are libpq's own and the one thing without a deadline:
  /// give an address, or a name from the hosts file.
  connection(const secret& url, const session& how, milliseconds each_host);
  connection(connection&&) noexcept;
  connection& operator=(connection&&) noexcept;
  ~connection();

  bool open() const noexcept { return conn_ != nullptr; }
  /// Whether the server has not ended it meanwhile, as far as can be told without asking it anything; closes it
  /// otherwise. For one that has been idle.
  bool still_open() noexcept;
  void close() noexcept;
  /// Process id of the server's side.
  int backend_pid() const noexcept;
  /// Such as 150004.
  int server_version() const noexcept;

  /// One or several statements as text, without parameters. The rows of the last
  /// one, whose fields are text: use only for statements without an answer.
  rows exec(const char* sql, steady_time deadline);
  rows exec(const std::string& sql, steady_time deadline) { return exec(sql.c_str(), deadline); }
  /// One statement with binary parameters and binary rows.
  rows exec_params(const char* sql, const parameters& with, steady_time deadline);
  rows exec_params(const char* sql, steady_time deadline) { return exec_params(sql, parameters{}, deadline); }
  /// Prepares `sql` under `name` for this connection.
  void prepare(const char* name, const char* sql, steady_time deadline);
  rows exec_prepared(const char* name, const parameters& with, steady_time deadline);
  /// One statement that lives as long as the program: prepared on its first use here,
  /// known by its address afterwards. When its plan no longer fits the schema the
  /// connection is closed (`lost`), as a new one can go on.
  rows run(const char* static_sql, const parameters& with, steady_time deadline);
  rows run(const char* static_sql, steady_time deadline) { return run(static_sql, parameters{}, deadline); }

  /// Prepared statements and one Sync in one round trip: one transaction. Returns
  /// only when the server has committed. `refused` means rolled back, all of it;
  /// `lost` and `deadline` mean that the outcome is unknown, which it also is where the server warns: a commit
  /// that is on the primary's disk alone, though a standby was to have it, comes as a success with a warning.
  std::vector<rows> pipeline(std::span<const pipelined> statements, steady_time deadline);

  /// COMMIT. Its outcome may be unknown in the same cases as that of `pipeline`.
  void commit(steady_time deadline);

  /// Waits for notifications (NOTIFY) on a channel that this session listens to. Returns those that have come; none by
  /// `until` is no error.
  std::vector<std::string> notes(steady_time until);

  /// `COPY … FROM STDIN`. Calls `more` with an empty buffer to fill until it returns
  /// false (what it left in the buffer then is still sent). Returns rows copied. When
  /// `more` throws, nothing is copied and the connection is closed.
  std::int64_t copy_in(const char* sql, const std::function<bool(std::string&)>& more, steady_time deadline);

private:
  friend class connecting;
  connection() = default;
  void wait(bool write, steady_time deadline);
  void flush(steady_time deadline);
  pg_result* next(steady_time deadline); // the caller's to free; null at the end
  rows only_answer(steady_time deadline);
  [[noreturn]] void lose(const char* doing);
  [[noreturn]] void fail_with(const pg_result* result);
  void start_copy(const char* sql, steady_time deadline);
  void check_sent(int ok, const char* doing);
  void put_pointers(const parameters& with);
  void doubt_a_warning();
  std::string clean(const char* message) const;

  pg_conn* conn_ = nullptr;
  std::string password_;                 // only to wipe it from messages
  std::unique_ptr<std::string> warning_; // the last one; its place is known to libpq
  std::vector<const char*> prepared_;    // what `run` has prepared; the index is the name
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

/// A connection being made, in steps that never wait for long. The hosts of the URL are tried one by one, each with a
/// deadline of its own, so that one that does not answer keeps nobody from the others; the one that any connection of
/// this process found good last comes first. Of several hosts one that takes no writes is passed over, unless
/// `target_session_attrs` of the URL says otherwise. One question looks whether the settings of the session hold and
/// the session is nobody else's, which something between may change: `usage` where they do not.
class connecting {
public:
  connecting(const secret& url, const session& how, milliseconds each_host);
  /// Goes on for at most `slice`. A connection when it stands, nothing when it
  /// needs more time; throws when the last host, too, has failed or was too late.
  std::optional<connection> go_on(milliseconds slice);

private:
  struct target {
    std::string name; // as errors tell it
    std::vector<std::pair<std::string, std::string>> where;
  };

  std::size_t trying() const { return (first_ + tried_) % hosts_.size(); }
  void begin();
  bool poll(steady_time until); // true when the connection stands
  void ask();
  bool hear(); // true once the answer is there
  void pass_over(const database_error& why);

  std::map<std::string, std::string> options_; // by libpq's keywords
  std::vector<target> hosts_;
  std::string password_;
  std::string known_as_; // the hosts as the URL has them
  milliseconds each_host_;
  std::size_t first_ = 0;
  std::size_t tried_ = 0;
  std::string failures_; // of the hosts before
  std::string alike_;    // the SQLSTATE that all of them gave
  std::string question_; // whether the session is as it was asked for
  bool asked_ = false;
  connection growing_;
  steady_time deadline_; // of the host that is tried
  int waits_for_ = 0;    // PostgresPollingStatusType
};

/// What begins a transaction that sees one snapshot throughout.
inline constexpr const char* begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// BEGIN now, ROLLBACK at the end of the scope unless committed.
class transaction {
public:
  /// `begin` may carry a mode, such as `begin_snapshot`.
  transaction(connection& on, steady_time deadline, const char* begin = "BEGIN");
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  ~transaction();
  void commit(steady_time deadline);

private:
  connection& on_;
  bool open_ = true;
};

/// A transaction that only reads, and sees one moment throughout. It ends with the scope.
class read_snapshot {
public:
  read_snapshot(connection& on, steady_time deadline)
    : on_(on), deadline_(deadline), all_(on, deadline, begin_snapshot) {}
  ~read_snapshot();

private:
  connection& on_;
  steady_time deadline_;
  transaction all_;
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace credence::persistence
