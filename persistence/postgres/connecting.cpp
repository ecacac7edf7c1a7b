#include "persistence/postgres/connection.hpp"
#include "persistence/postgres/poll_timeout.hpp"

#include <libpq-fe.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace credence::persistence {

namespace {

std::string setting(const char* name, milliseconds value) { return std::string{" -c "} + name + "=" + std::to_string(value.count()); }

/// What every session asks of the server: bounds on statements and locks, and to
/// notice a client that is gone.
std::string server_options(const session& how) {
  return setting("statement_timeout", how.statement_timeout) + setting("lock_timeout", how.lock_timeout)
         + setting("idle_in_transaction_session_timeout", how.idle_in_transaction_timeout)
         + " -c client_connection_check_interval=1000 -c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1"
           " -c tcp_keepalives_count=3 -c client_encoding=UTF8 -c DateStyle=ISO -c TimeZone=UTC -c jit=off "
         + how.options;
}

/// What the URL says about the things that we must know or add to.
struct parsed_url {
  std::string password;
  std::string options;
};

parsed_url parse(const secret& url) {
  char* why = nullptr;
  auto* all = PQconninfoParse(url.reveal().c_str(), &why);
  if (!all) {
    // libpq's message repeats the text it cannot read, password and all.
    PQfreemem(why);
    throw database_error(trouble::usage, {}, "the database URL cannot be read as a PostgreSQL connection string");
  }
  parsed_url parsed;
  for (auto* each = all; each->keyword; ++each) {
    if (!each->val)
      continue;
    if (std::strcmp(each->keyword, "password") == 0)
      parsed.password = each->val;
    else if (std::strcmp(each->keyword, "options") == 0)
      parsed.options = each->val;
  }
  PQconninfoFree(all);
  return parsed;
}

} // namespace

connecting::connecting(const secret& url, const session& how, steady_time deadline) : deadline_(deadline) {
  auto known = parse(url);
  const auto options = known.options + server_options(how);
  const char* keys[] = {"dbname",           "application_name", "options", "keepalives", "keepalives_idle", "keepalives_interval",
                        "keepalives_count", "tcp_user_timeout", nullptr};
  const char* values[] = {url.reveal().c_str(), how.application_name.c_str(), options.c_str(), "1", "1", "1", "3", "3000", nullptr};
  growing_.password_ = std::move(known.password);
  growing_.conn_ = PQconnectStartParams(keys, values, 1);
  if (!growing_.conn_)
    throw database_error(trouble::lost, {}, "no memory for a connection");
  PQsetErrorVerbosity(growing_.conn_, PQERRORS_VERBOSE); // says the SQLSTATE, which libpq tells of a connection in no other way
  if (PQstatus(growing_.conn_) == CONNECTION_BAD)
    growing_.lose("connecting");
  waits_for_ = PGRES_POLLING_WRITING;
}

std::optional<connection> connecting::go_on(milliseconds slice) {
  const auto until = std::min(deadline_, deadline_in(slice));
  for (;;) {
    pollfd watched{PQsocket(growing_.conn_), static_cast<short>(waits_for_ == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    const int ready = ::poll(&watched, 1, poll_timeout(until));
    if (ready < 0 && errno != EINTR)
      growing_.lose("connecting");
    if (ready <= 0) {
      if (steady_clock::now() >= deadline_) {
        growing_.close();
        throw database_error(trouble::deadline, {}, "the database did not take the connection in time");
      }
      if (steady_clock::now() >= until)
        return std::nullopt;
      continue;
    }
    waits_for_ = PQconnectPoll(growing_.conn_);
    if (waits_for_ == PGRES_POLLING_FAILED)
      growing_.lose("connecting");
    if (waits_for_ == PGRES_POLLING_OK)
      break;
  }
  PQsetErrorVerbosity(growing_.conn_, PQERRORS_DEFAULT);
  PQsetnonblocking(growing_.conn_, 1);
  PQsetNoticeProcessor(
    growing_.conn_, [](void*, const char*) {}, nullptr);
  return std::move(growing_);
}

connection::connection(const secret& url, const session& how, steady_time deadline) {
  connecting attempt{url, how, deadline};
  for (;;)
    if (auto made = attempt.go_on(milliseconds{1000})) {
      *this = std::move(*made);
      return;
    }
}

} // namespace credence::persistence
