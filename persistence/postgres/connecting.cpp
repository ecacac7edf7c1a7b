#include "persistence/postgres/connection.hpp"
#include "persistence/postgres/poll_timeout.hpp"
#include "persistence/postgres/url.hpp"

#include <libpq-fe.h>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace credence::persistence {

namespace {

std::string setting(const char* name, milliseconds value) {
  return std::string{" -c "} + name + "=" + std::to_string(value.count());
}

/// What every session asks of the server: bounds on statements and locks, and to
/// notice a client that is gone.
std::string server_options(const session& how) {
  return setting("statement_timeout", how.statement_timeout) + setting("lock_timeout", how.lock_timeout)
         + setting("idle_in_transaction_session_timeout", how.idle_in_transaction_timeout)
         + " -c client_connection_check_interval=1000 -c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1"
           " -c tcp_keepalives_count=3 -c client_encoding=UTF8 -c DateStyle=ISO -c TimeZone=UTC -c jit=off "
         + how.options;
}

/// Whether the settings of a session hold, and whether it is new: what lends sessions out by the transaction gives one
/// that is marked, also where the client that has marked it is gone.
std::string question_of(const session& how) {
  const auto holds = [](const char* name, milliseconds value) {
    return std::string{" AND current_setting('"} + name + "')::interval = interval '" + std::to_string(value.count())
           + " milliseconds'";
  };
  return "SELECT current_setting('jit') = 'off'" + holds("statement_timeout", how.statement_timeout)
         + holds("lock_timeout", how.lock_timeout)
         + holds("idle_in_transaction_session_timeout", how.idle_in_transaction_timeout)
         + ", coalesce(current_setting('credence.session', true), '') = '',"
           " set_config('credence.session', 'taken', false)";
}

constexpr auto settings_are_dropped = "the settings of a session do not hold: something between drops them, such as a "
                                      "pooler; connect to PostgreSQL itself";
constexpr auto session_is_shared = "a new connection has the session of another one, as behind a pooler that lends "
                                   "sessions out by the transaction; connect to PostgreSQL itself";

/// Which of the hosts of a URL was good last; one note for all connections of the process.
class good_hosts {
public:
  static std::size_t last(const std::string& of) {
    const std::lock_guard held{mutex()};
    return notes()[of];
  }
  static void note(const std::string& of, std::size_t good) {
    const std::lock_guard held{mutex()};
    notes()[of] = good;
  }

private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::map<std::string, std::size_t>& notes() {
    static std::map<std::string, std::size_t> all;
    return all;
  }
};

void keep_warning(void* last, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (const char* text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
      text && severity && std::strcmp(severity, "WARNING") == 0)
    *static_cast<std::string*>(last) = text;
}

} // namespace

connecting::connecting(const secret& url, const session& how, milliseconds each_host)
  : options_(parts_of(url)), each_host_(each_host), question_(question_of(how)) {
  for (const auto* part : {"host", "hostaddr", "port"})
    known_as_ += options_.contains(part) ? options_.at(part) + " " : " ";
  for (auto& each : take_hosts(options_))
    hosts_.push_back({std::move(each.name), std::move(each.where)});
  if (hosts_.size() > 1)
    options_.try_emplace("target_session_attrs", "read-write");
  if (const auto found = options_.find("password"); found != options_.end())
    password_ = found->second;
  options_["options"] += server_options(how);
  options_["application_name"] = how.application_name;
  for (const auto& [keyword, value] : {std::pair{"keepalives", "1"},
                                       {"keepalives_idle", "1"},
                                       {"keepalives_interval", "3"},
                                       {"keepalives_count", "3"},
                                       {"tcp_user_timeout", "3000"}})
    options_[keyword] = value;
  first_ = good_hosts::last(known_as_) % hosts_.size();
}

void connecting::begin() {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  const auto put = [&](const auto& list) {
    for (const auto& [keyword, value] : list) {
      keywords.push_back(keyword.c_str());
      values.push_back(value.c_str());
    }
  };
  put(options_);
  put(hosts_[trying()].where);
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  deadline_ = deadline_in(each_host_);
  growing_.password_ = password_;
  growing_.warning_ = std::make_unique<std::string>();
  growing_.conn_ = PQconnectStartParams(keywords.data(), values.data(), 0);
  if (!growing_.conn_)
    throw database_error(trouble::lost, {}, "no memory for a connection");
  PQsetNoticeReceiver(growing_.conn_, keep_warning, growing_.warning_.get());
  PQsetErrorVerbosity(growing_.conn_,
                      PQERRORS_VERBOSE); // says the SQLSTATE, which libpq tells of a connection in no other way
  if (PQstatus(growing_.conn_) == CONNECTION_BAD)
    growing_.lose("connecting");
  waits_for_ = PGRES_POLLING_WRITING;
  asked_ = false;
}

void connecting::ask() {
  PQsetErrorVerbosity(growing_.conn_, PQERRORS_DEFAULT);
  growing_.check_sent(PQsendQuery(growing_.conn_, question_.c_str()), "connecting");
  waits_for_ = PGRES_POLLING_READING;
  asked_ = true;
}

bool connecting::hear() {
  growing_.check_sent(PQconsumeInput(growing_.conn_), "connecting");
  while (!PQisBusy(growing_.conn_)) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> answer{PQgetResult(growing_.conn_), &PQclear};
    if (!answer)
      return true;
    if (PQresultStatus(answer.get()) != PGRES_TUPLES_OK)
      growing_.fail_with(answer.get());
    const auto says_yes = [&](int column) { return PQgetvalue(answer.get(), 0, column)[0] == 't'; };
    if (const bool hold = says_yes(0); !hold || !says_yes(1))
      throw database_error(trouble::usage, {}, hold ? session_is_shared : settings_are_dropped);
  }
  return false;
}

bool connecting::poll(steady_time until) {
  if (!growing_.open())
    begin();
  for (;;) {
    pollfd watched{PQsocket(growing_.conn_), static_cast<short>(waits_for_ == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                   0};
    const int ready = ::poll(&watched, 1, poll_timeout(std::min(deadline_, until)));
    if (ready < 0 && errno != EINTR)
      growing_.lose("connecting");
    if (ready <= 0) {
      if (steady_clock::now() >= deadline_) {
        growing_.close();
        throw database_error(trouble::deadline, {}, "the database did not take the connection in time");
      }
      if (steady_clock::now() >= until)
        return false;
      continue;
    }
    if (asked_) {
      if (hear())
        return true;
      continue;
    }
    waits_for_ = PQconnectPoll(growing_.conn_);
    if (waits_for_ == PGRES_POLLING_FAILED)
      growing_.lose("connecting");
    if (waits_for_ == PGRES_POLLING_OK)
      ask();
  }
}

void connecting::pass_over(const database_error& why) {
  growing_.close();
  if (hosts_.size() == 1)
    throw why;
  failures_ += (failures_.empty() ? "" : "; ") + hosts_[trying()].name + ": " + why.what();
  if (tried_ == 0)
    alike_ = why.sqlstate();
  else if (alike_ != why.sqlstate()) // one that refuses us for good says nothing of one that is only away
    alike_.clear();
  if (++tried_ == hosts_.size())
    throw database_error(why.why(), alike_, failures_);
}

std::optional<connection> connecting::go_on(milliseconds slice) {
  const auto until = deadline_in(slice);
  for (;;) {
    try {
      if (!poll(until))
        return std::nullopt;
      break;
    } catch (const database_error& why) {
      pass_over(why);
    }
  }
  PQsetnonblocking(growing_.conn_, 1);
  good_hosts::note(known_as_, trying());
  return std::move(growing_);
}

connection::connection(const secret& url, const session& how, milliseconds each_host) {
  connecting attempt{url, how, each_host};
  for (;;)
    if (auto made = attempt.go_on(milliseconds{1000})) {
      *this = std::move(*made);
      return;
    }
}

} // namespace credence::persistence
