#include "persistence/readers/reader.hpp"

#include "actors/kernel/handling.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace credence::persistence {

namespace {

constexpr const char *query_canceled = "57014", *lock_not_available = "55P03";

milliseconds timeout_of(const query_policy& how, const settings::store& with) {
  return how.timeout > milliseconds{0} ? how.timeout : with.load_timeout;
}

} // namespace

milliseconds given_up_after(const query_policy& how, const settings::store& with) {
  const auto timeout = timeout_of(how, with);
  return timeout - timeout / 10;
}

std::shared_ptr<reading> reading::split() {
  auto rest = std::make_shared<reading>(by_, on_, whose_);
  rest->asked_at = asked_at;
  for (auto i = asked_.size() / 2; i < asked_.size(); ++i)
    rest->add(std::move(asked_[i]), std::move(to_[i]));
  asked_.resize(asked_.size() / 2);
  to_.resize(asked_.size());
  return rest;
}

void reading::run(connection& on, milliseconds timeout) {
  began_.store(steady_clock::now(), std::memory_order_relaxed);
  try {
    found_ = by_.read(on, asked_, timeout);
  } catch (const database_error& why) {
    if (why.sqlstate() == query_canceled || why.sqlstate() == lock_not_available)
      took_.store(running_for(steady_clock::now()), std::memory_order_relaxed);
    throw;
  }
  took_.store(running_for(steady_clock::now()), std::memory_order_relaxed);
  if (found_.size() != asked_.size())
    throw database_error(trouble::usage, {}, "a group of loads has another number of answers");
}

bool reading::wanted() const noexcept {
  return std::any_of(to_.begin(), to_.end(), [](const auto& each) { return !each.who.get()->answered(); });
}

std::chrono::nanoseconds reading::running_for(steady_time now) const noexcept {
  const auto began = began_.load(std::memory_order_relaxed);
  return began == steady_time{} ? std::chrono::nanoseconds{0} : now - began;
}

/// What the database has done for them, in equal parts.
void reading::count_for_all() const noexcept {
  const auto took = took_.load(std::memory_order_relaxed);
  for (const auto& each : to_)
    each.who.get()->add_database_time(took / static_cast<std::int64_t>(to_.size()));
}

void reading::answer() {
  count_for_all();
  for (std::size_t i = 0; i < to_.size(); ++i)
    to_[i].answer(to_[i].who, found_[i]);
}

void reading::fail(failure why) {
  if (on_ == lane::lists) // what a load costs is nobody's choice
    count_for_all();
  for (const auto& each : to_)
    each.who.fail(why);
}

std::shared_ptr<reading> gathering::add(const load_handler& by, std::any question, reading::listener to) {
  if (waiting_.empty() || waiting_.back()->size() >= by.how.batch_max)
    waiting_.push_back(std::make_shared<reading>(by, by.how.on));
  waiting_.back()->add(std::move(question), std::move(to));
  return under_way_ ? nullptr : next();
}

std::shared_ptr<reading> gathering::next() {
  under_way_ = waiting_.empty() ? nullptr : waiting_.front();
  if (under_way_)
    waiting_.pop_front();
  return under_way_;
}

bool gathering::split() {
  if (under_way_->size() < 2)
    return false;
  waiting_.push_front(under_way_->split());
  waiting_.push_front(under_way_);
  return true;
}

void gathering::fail(failure why) {
  for (const auto& each : std::exchange(waiting_, {}))
    each->fail(why);
}

namespace {

using namespace std::chrono_literals;

/// A reader that could not connect answers for this long without trying again, unless the writer got through since.
constexpr auto connect_pause = 100ms;
constexpr auto connect_pause_least = 20ms; // also where the writer gets through

class reader : public actor {
public:
  static inline const char* name = "reader";
  using takes = reader_entity::takes;

  void start(const settings::store& how, const store_status* status, lane on, std::size_t number, weak_actor_ref pool) {
    how_ = how;
    status_ = status;
    lane_ = on;
    number_ = number;
    pool_ = std::move(pool);
    session_.application_name = "credence-" + std::string{ops::read_lane_names[static_cast<std::size_t>(on)]};
    ops::the_metrics().of(ops::actor_kind::reader).live.add(1);
    // Plans are made once. They must not read a whole table because it
    // happened to be small then: every question here has an index.
    session_.options = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off";
  }

  void on(const read_this& query) {
    const handling here{ops::actor_kind::reader, query.task->asked_at};
    ops::the_metrics().store.load_statements.add();
    read_done done{lane_, number_, query.task, std::nullopt};
    // A connection that broke since its last use costs one retry, no more.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const bool reused = connection_.has_value();
      done.why = try_once(*query.task);
      if (done.why != trouble::lost || !reused)
        break;
    }
    send(actor_handle<read_done>{pool_.lock()}, std::move(done));
  }

private:
  std::optional<trouble> try_once(reading& reading) {
    const auto timeout = timeout_of(reading.how(), how_);
    const auto at_the_server = given_up_after(reading.how(), how_);
    try {
      if (!connection_) {
        if (pausing())
          return trouble::lost;
        session_.statement_timeout = at_the_server;
        tried_at_ = steady_clock::now();
        connection_.emplace(how_.database_url, session_, how_.connect_timeout);
      } else if (session_.statement_timeout != at_the_server) {
        connection_->exec("SET statement_timeout = " + std::to_string(at_the_server.count()), deadline_in(timeout));
        session_.statement_timeout = at_the_server;
      }
      reading.run(*connection_, timeout);
      return std::nullopt;
    } catch (const database_error& why) {
      ops::log(ops::level::warn, "load_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
      if (!connection_)
        not_before_ = steady_clock::now() + connect_pause;
      else if (!connection_->open())
        connection_.reset();
      return why.sqlstate() == query_canceled ? trouble::deadline : why.why();
    } catch (const std::exception& why) {
      ops::log(ops::level::error, "load_failed", {{"error", why.what()}});
      connection_.reset();
      return trouble::usage;
    }
  }

  bool pausing() const {
    const std::chrono::nanoseconds last_good{status_->last_good_ns.load(std::memory_order_relaxed)};
    const auto now = steady_clock::now();
    return now < tried_at_ + connect_pause_least || (now < not_before_ && last_good < tried_at_.time_since_epoch());
  }

  settings::store how_;
  const store_status* status_ = nullptr;
  lane lane_ = lane::loads;
  std::size_t number_ = 0;
  weak_actor_ref pool_;
  session session_;
  std::optional<connection> connection_;
  steady_time tried_at_{}; // when it last tried to connect
  steady_time not_before_{};
};

} // namespace

reader_entity spawn_reader(caf::actor_system& sys, const settings::store& how, const store_status& status, lane on,
                           std::size_t number, const weak_actor_ref& pool) {
  return reader_entity{spawn_on_own_thread<reader>(sys, how, &status, on, number, pool)};
}

} // namespace credence::persistence
