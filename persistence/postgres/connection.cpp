#include "persistence/postgres/connection.hpp"

#include "persistence/postgres/poll_timeout.hpp"

#include <libpq-fe.h>

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace credence::persistence {

namespace {

constexpr int binary_format = 1;

struct result_clearer {
  void operator()(pg_result* result) const noexcept { PQclear(result); }
};
using result_holder = std::unique_ptr<pg_result, result_clearer>;

} // namespace

connection::connection(connection&& other) noexcept { *this = std::move(other); }

connection& connection::operator=(connection&& other) noexcept {
  if (this == &other)
    return *this;
  close();
  conn_ = std::exchange(other.conn_, nullptr);
  password_ = std::move(other.password_);
  warning_ = std::move(other.warning_);
  prepared_ = std::move(other.prepared_);
  values_ = std::move(other.values_);
  lengths_ = std::move(other.lengths_);
  formats_ = std::move(other.formats_);
  return *this;
}

connection::~connection() { close(); }

void connection::close() noexcept {
  if (auto* gone = std::exchange(conn_, nullptr))
    PQfinish(gone);
}

int connection::backend_pid() const noexcept { return conn_ ? PQbackendPID(conn_) : 0; }
int connection::server_version() const noexcept { return conn_ ? PQserverVersion(conn_) : 0; }

// -- errors --------------------------------------------------------------------------

std::string connection::clean(const char* message) const {
  std::string text = message ? message : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  if (!password_.empty())
    for (auto at = text.find(password_); at != std::string::npos; at = text.find(password_, at + 3))
      text.replace(at, password_.size(), "***");
  return text;
}

namespace {

/// Takes the SQLSTATE out of a message of libpq that names it, `FATAL:  3D000: database "x" does not exist` and a line
/// `LOCATION: …`; empty where it names none.
std::string take_sqlstate(std::string& text) {
  if (const auto location = text.find("\nLOCATION: "); location != text.npos)
    text.resize(location);
  constexpr std::string_view before = ":  ";
  constexpr std::size_t length = 5;
  const auto at = text.find(before);
  if (at == text.npos || at + before.size() + length + 2 > text.size())
    return {};
  const auto found = text.substr(at + before.size(), length);
  const bool is_one =
    std::all_of(found.begin(), found.end(), [](unsigned char c) { return std::isdigit(c) || std::isupper(c); });
  if (!is_one || text.compare(at + before.size() + length, 2, ": ") != 0)
    return {};
  text.erase(at + before.size(), length + 2);
  return found;
}

} // namespace

void connection::lose(const char* doing) {
  auto text = std::string{doing} + ": " + clean(conn_ ? PQerrorMessage(conn_) : "the connection is closed");
  auto sqlstate = take_sqlstate(text);
  close();
  throw database_error(trouble::lost, std::move(sqlstate), text);
}

void connection::fail_with(const pg_result* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string sqlstate = state ? state : "";
  const auto text = clean(primary ? primary : PQresultErrorMessage(result));
  // FATAL and PANIC end the session, and may come after the commit itself.
  const bool ends = !state || !severity || std::strcmp(severity, "ERROR") != 0;
  if (!ends && PQstatus(conn_) != CONNECTION_BAD)
    throw database_error(trouble::refused, sqlstate, text);
  close();
  throw database_error(trouble::lost, sqlstate, text);
}

void connection::check_sent(int ok, const char* doing) {
  if (!ok)
    lose(doing);
}

// -- waiting -------------------------------------------------------------------------

void connection::wait(bool write, steady_time deadline) {
  for (;;) {
    pollfd watched{PQsocket(conn_), static_cast<short>(write ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = ::poll(&watched, 1, poll_timeout(deadline));
    if (ready > 0) {
      if ((watched.revents & POLLIN) && !PQconsumeInput(conn_))
        lose("reading from the database");
      if ((watched.revents & (POLLERR | POLLHUP | POLLNVAL)) && !(watched.revents & POLLIN))
        lose("waiting for the database");
      return;
    }
    if (ready < 0 && errno != EINTR)
      lose("waiting for the database");
    if (steady_clock::now() >= deadline) {
      close();
      throw database_error(trouble::deadline, {}, "the database did not answer in time");
    }
  }
}

void connection::flush(steady_time deadline) {
  for (int left = PQflush(conn_); left != 0; left = PQflush(conn_)) {
    if (left < 0) {
      // What the server said last explains more than the broken pipe does.
      return;
    }
    wait(true, deadline);
  }
}

pg_result* connection::next(steady_time deadline) {
  while (PQisBusy(conn_))
    wait(false, deadline);
  return PQgetResult(conn_);
}

rows connection::only_answer(steady_time deadline) {
  flush(deadline);
  rows last;
  result_holder error; // the first one; later ones follow from it
  while (auto* came = next(deadline)) {
    const auto status = PQresultStatus(came);
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
      PQclear(came);
      close();
      throw database_error(trouble::usage, {}, "COPY needs copy_in");
    }
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY)
      last = rows{came};
    else if (error)
      PQclear(came);
    else
      error.reset(came);
    if (PQstatus(conn_) == CONNECTION_BAD)
      break;
  }
  if (error)
    fail_with(error.get());
  if (PQstatus(conn_) == CONNECTION_BAD)
    lose("reading an answer");
  return last;
}

// -- statements ------------------------------------------------------------------------

void connection::put_pointers(const parameters& with) {
  values_.clear();
  lengths_.clear();
  for (const auto& each : with.entries_) {
    values_.push_back(each.length < 0 ? nullptr : each.external ? each.external : with.data_.data() + each.offset);
    lengths_.push_back(std::max(each.length, 0));
  }
  formats_.assign(with.entries_.size(), binary_format);
}

rows connection::exec(const char* sql, steady_time deadline) {
  if (!conn_)
    lose("sending a statement");
  check_sent(PQsendQuery(conn_, sql), "sending a statement");
  return only_answer(deadline);
}

bool connection::still_open() noexcept {
  if (!conn_)
    return false;
  for (pollfd watched{PQsocket(conn_), POLLIN, 0}; ::poll(&watched, 1, 0) > 0;) // first comes the reason, then the end
    if (!PQconsumeInput(conn_)) {
      close();
      return false;
    }
  return true;
}

std::vector<std::string> connection::notes(steady_time until) {
  if (!conn_)
    lose("waiting for notes");
  std::vector<std::string> out;
  for (bool waited = false;; waited = true) {
    while (auto* note = PQnotifies(conn_)) {
      out.emplace_back(note->extra);
      PQfreemem(note);
    }
    if (!out.empty() || waited)
      return out;
    pollfd watched{PQsocket(conn_), POLLIN, 0};
    const int ready = ::poll(&watched, 1, poll_timeout(until));
    if ((ready < 0 && errno != EINTR) || (ready > 0 && !PQconsumeInput(conn_)))
      lose("waiting for notes");
  }
}

rows connection::exec_params(const char* sql, const parameters& with, steady_time deadline) {
  if (!conn_)
    lose("sending a statement");
  put_pointers(with);
  check_sent(PQsendQueryParams(conn_, sql, static_cast<int>(with.size()), nullptr, values_.data(), lengths_.data(),
                               formats_.data(), binary_format),
             "sending a statement");
  return only_answer(deadline);
}

void connection::prepare(const char* name, const char* sql, steady_time deadline) {
  if (!conn_)
    lose("preparing a statement");
  check_sent(PQsendPrepare(conn_, name, sql, 0, nullptr), "preparing a statement");
  only_answer(deadline);
}

rows connection::exec_prepared(const char* name, const parameters& with, steady_time deadline) {
  if (!conn_)
    lose("sending a statement");
  put_pointers(with);
  check_sent(PQsendQueryPrepared(conn_, name, static_cast<int>(with.size()), values_.data(), lengths_.data(),
                                 formats_.data(), binary_format),
             "sending a statement");
  return only_answer(deadline);
}

rows connection::run(const char* static_sql, const parameters& with, steady_time deadline) {
  const auto known = std::find(prepared_.begin(), prepared_.end(), static_sql);
  const auto name = "run_" + std::to_string(known - prepared_.begin());
  if (known == prepared_.end()) {
    prepare(name.c_str(), static_sql, deadline);
    prepared_.push_back(static_sql);
  }
  try {
    return exec_prepared(name.c_str(), with, deadline);
  } catch (const database_error& why) {
    // The result would have another shape now, or the statement is not there.
    if (why.sqlstate() != "0A000" && why.sqlstate() != "26000")
      throw;
    close();
    throw database_error(trouble::lost, why.sqlstate(), why.what());
  }
}

std::vector<rows> connection::pipeline(std::span<const pipelined> statements, steady_time deadline) {
  if (!conn_ || !PQenterPipelineMode(conn_))
    lose("starting a pipeline");
  warning_->clear();
  for (const auto& each : statements) {
    put_pointers(*each.with);
    check_sent(PQsendQueryPrepared(conn_, each.name, static_cast<int>(each.with->size()), values_.data(),
                                   lengths_.data(), formats_.data(), binary_format),
               "sending a batch");
  }
  check_sent(PQpipelineSync(conn_), "sending a batch");
  flush(deadline);
  std::vector<rows> answers;
  answers.reserve(statements.size());
  result_holder error;
  for (;;) {
    auto* came = next(deadline);
    if (!came) {
      // Ends one statement's answers; with a dead connection, everything.
      if (PQstatus(conn_) != CONNECTION_BAD)
        continue;
      if (error)
        fail_with(error.get());
      lose("waiting for a batch");
    }
    const auto status = PQresultStatus(came);
    if (status == PGRES_PIPELINE_SYNC) {
      PQclear(came);
      break;
    }
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      answers.emplace_back(came);
    else if (status == PGRES_PIPELINE_ABORTED || error)
      PQclear(came);
    else
      error.reset(came);
  }
  if (!PQexitPipelineMode(conn_))
    lose("ending a pipeline");
  if (error)
    fail_with(error.get());
  doubt_a_warning();
  return answers;
}

void connection::commit(steady_time deadline) {
  if (!conn_)
    lose("committing");
  warning_->clear();
  exec("COMMIT", deadline);
  doubt_a_warning();
}

void connection::doubt_a_warning() {
  if (warning_->empty())
    return;
  const auto text = "the server warned with the commit: " + clean(warning_->c_str());
  close();
  throw database_error(trouble::lost, "01000", text);
}

// -- COPY ------------------------------------------------------------------------------

void connection::start_copy(const char* sql, steady_time deadline) {
  if (!conn_)
    lose("starting a COPY");
  check_sent(PQsendQuery(conn_, sql), "starting a COPY");
  flush(deadline);
  const result_holder first{next(deadline)};
  const auto status = first ? PQresultStatus(first.get()) : PGRES_FATAL_ERROR;
  if (status == PGRES_COPY_IN)
    return;
  if (!first || PQstatus(conn_) == CONNECTION_BAD || status != PGRES_FATAL_ERROR)
    lose("starting a COPY");
  only_answer(deadline);
  fail_with(first.get());
}

std::int64_t connection::copy_in(const char* sql, const std::function<bool(std::string&)>& more, steady_time deadline) {
  start_copy(sql, deadline);
  std::string chunk;
  for (bool going = true; going;) {
    chunk.clear();
    try {
      going = more(chunk);
    } catch (...) {
      close();
      throw;
    }
    int put = 1;
    while (!chunk.empty() && (put = PQputCopyData(conn_, chunk.data(), static_cast<int>(chunk.size()))) == 0)
      wait(true, deadline);
    if (put < 0)
      lose("sending rows");
    flush(deadline);
  }
  int ended = 0;
  while ((ended = PQputCopyEnd(conn_, nullptr)) == 0)
    wait(true, deadline);
  if (ended < 0)
    lose("sending rows");
  return only_answer(deadline).affected();
}

transaction::transaction(connection& on, steady_time deadline, const char* begin) : on_(on) {
  on_.exec(begin, deadline);
}

transaction::~transaction() {
  if (!open_ || !on_.open())
    return;
  try {
    on_.exec("ROLLBACK", deadline_in(milliseconds{1000}));
  } catch (const database_error&) {
    on_.close(); // the server rolls back when it notices
  }
}

void transaction::commit(steady_time deadline) {
  open_ = false;
  on_.commit(deadline);
}

read_snapshot::~read_snapshot() {
  if (std::uncaught_exceptions() > exceptions_)
    return; // rolled back
  try {
    all_.commit(deadline_);
  } catch (const database_error&) {
    on_.close(); // what was read is good nevertheless
  }
}

} // namespace credence::persistence
