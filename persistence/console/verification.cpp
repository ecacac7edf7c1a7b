#include "persistence/console/admin_database.hpp"

#include "ops/log.hpp"
#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/verify/verify.hpp"

#include <stdexcept>
#include <utility>

namespace credence::persistence {

namespace {

using namespace std::chrono_literals;

constexpr auto timeout = 30min;

session of_verification() {
  session out;
  out.application_name = "credence-verify";
  out.statement_timeout = 0ms;
  out.idle_in_transaction_timeout = 0ms;
  return out;
}

} // namespace

verification_desk::~verification_desk() { stop(); }

bool verification_desk::start(const std::string& by) {
  if (const auto last = now(); last.number > 0 && !last.ended_at)
    return false;
  if (thread_.joinable())
    thread_.join(); // it has told its end
  const std::scoped_lock lock{mutex_};
  const auto number = shown_.number + 1;
  shown_ = {};
  shown_.number = number;
  shown_.started_at = system_now();
  shown_.by = by;
  shown_.part = "connecting";
  stopping_ = false;
  thread_ = std::jthread{[this] { run(); }};
  return true;
}

console::verification verification_desk::now() const {
  const std::scoped_lock lock{mutex_};
  return shown_;
}

void verification_desk::stop() {
  stopping_ = true;
  cancel();
}

void verification_desk::cancel() {
  const auto backend = backend_.load();
  if (backend == 0)
    return;
  try {
    connection on{how_.database_url, of_verification(), how_.connect_timeout};
    on.exec_params("SELECT pg_cancel_backend($1::int4)", parameters{}.int4(backend),
                   deadline_in(how_.statement_timeout));
  } catch (const database_error& why) {
    ops::log(ops::level::warn, "verification_not_cancelled", {{"error", why.what()}});
  }
}

void verification_desk::finish(console::verification::state how, const std::string& error) {
  const std::scoped_lock lock{mutex_};
  shown_.now = how;
  shown_.error = error;
  shown_.ended_at = system_now();
  shown_.share = how == console::verification::state::done ? 1 : shown_.share;
  ops::log(ops::level::info, "verification_ended", {{"how", static_cast<int>(how)}, {"error", error}});
}

void verification_desk::run() {
  using state = console::verification::state;
  try {
    connection on{how_.database_url, of_verification(), how_.connect_timeout};
    backend_ = on.backend_pid();
    if (stopping_)
      throw std::runtime_error{"stopped while connecting"};
    ops::progress told{
      "verify", {.descriptor = 2, .rewritten = false, .every = 500ms, .heard = [this](const ops::progress_state& how) {
                   if (stopping_) // between two statements there was nothing to cancel
                     cancel();
                   const std::scoped_lock lock{mutex_};
                   shown_.part = how.part;
                   shown_.share = how.share;
                 }}};
    auto found = verify_stored(on, deadline_in(timeout), told);
    backend_ = 0;
    {
      const std::scoped_lock lock{mutex_};
      for (auto& each : found)
        shown_.results.push_back(
          {std::move(each.name), std::move(each.promise), each.differences, std::move(each.examples)});
    }
    finish(stopping_ ? state::stopped : state::done, "");
  } catch (const std::exception& why) {
    backend_ = 0;
    finish(stopping_ ? state::stopped : state::failed, stopping_ ? "" : why.what());
  }
}

} // namespace credence::persistence
