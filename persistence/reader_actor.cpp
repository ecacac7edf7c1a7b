#include "persistence/reader_actor.hpp"

#include "actors/kernel/handling.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/credential_sql.hpp"
#include "persistence/listing_sql.hpp"
#include "persistence/lookup_sql.hpp"
#include "persistence/market_lists_sql.hpp"
#include "persistence/market_sql.hpp"
#include "persistence/news_sql.hpp"
#include "persistence/people_sql.hpp"
#include "persistence/period_sql.hpp"
#include "persistence/profile_sql.hpp"
#include "persistence/project_sql.hpp"
#include "persistence/record_sql.hpp"
#include "persistence/slash_sql.hpp"
#include "persistence/xp_sql.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace credence::persistence {

/// A question on its way through the pool: run by a reader, answered by the pool.
class reading {
public:
  virtual ~reading() = default;
  virtual void run(connection& on, milliseconds timeout) = 0;
  virtual void answer() = 0;
  virtual void fail(caf::error why) = 0;
  steady_time asked_at{};
};

struct read_this {
  std::shared_ptr<reading> what;
};
/// A reader is idle again; `why` is set when it could not read.
struct read_done {
  std::size_t reader = 0;
  std::shared_ptr<reading> what;
  std::optional<trouble> why;
};

namespace {

using namespace std::chrono_literals;

/// Questions that wait for a reader. One past it is refused at once.
constexpr std::size_t waiting_max = 8192;
/// A reader that could not connect answers for this long without trying again.
constexpr auto connect_pause = 100ms;

using reader_entity = caf::typed_actor<caf::reacts_to<read_this>>;
using pool_entity = reader_handle::extend<caf::reacts_to<read_done>>;

ops::store_metrics& metrics() { return ops::the_metrics().store; }

// -- how each question is read -----------------------------------------------------------

project::stored_project read(connection& on, const project::load_project& asked, milliseconds timeout) {
  return read_project(on, asked.project, timeout);
}
profile::stored_profile read(connection& on, const profile::load_profile& asked, milliseconds timeout) {
  return read_profile(on, asked.profile, deadline_in(timeout));
}
profile::stored_xp read(connection& on, const profile::load_xp& asked, milliseconds timeout) {
  return read_xp(on, asked.profile, deadline_in(timeout));
}
profile::tip_list read(connection& on, const profile::load_tips& asked, milliseconds timeout) {
  return read_tips(on, asked, deadline_in(timeout));
}
profile::tip_figures read(connection& on, const profile::load_tip_figures& asked, milliseconds timeout) {
  return read_tip_figures(on, asked.profile, deadline_in(timeout));
}
profile::stored_receipt read(connection& on, const profile::load_receipt& asked, milliseconds timeout) {
  return read_receipt(on, asked, deadline_in(timeout));
}
profile::stored_credentials read(connection& on, const profile::load_credentials& asked, milliseconds timeout) {
  return read_credentials(on, asked.profile, deadline_in(timeout));
}
idempotency::stored_record read(connection& on, const idempotency::load_record& asked, milliseconds timeout) {
  return std::move(read_records(on, {&asked, 1}, deadline_in(timeout)).front());
}
people::stored_people read(connection& on, const people::load_people& asked, milliseconds timeout) {
  return read_people(on, asked, deadline_in(timeout));
}
people::stored_users read(connection& on, const people::load_users_of& asked, milliseconds timeout) {
  return read_users_of(on, asked.profiles, deadline_in(timeout));
}
people::stored_users read(connection& on, const people::load_users& asked, milliseconds timeout) {
  return read_users(on, asked.users, deadline_in(timeout));
}
people::found_people read(connection& on, const people::find_people& asked, milliseconds timeout) {
  return find_people(on, asked, deadline_in(timeout));
}
people::people_by_key read(connection& on, const people::get_people& asked, milliseconds timeout) {
  return read_people_by_key(on, asked, deadline_in(timeout));
}
people::bundle_of read(connection& on, const people::get_bundle& asked, milliseconds timeout) {
  return read_bundle(on, asked, deadline_in(timeout));
}
people::people_page read(connection& on, const people::search_people& asked, milliseconds timeout) {
  return search_people(on, asked, deadline_in(timeout));
}
period::stored_periods read(connection& on, const period::load_periods&, milliseconds timeout) {
  return read_periods(on, deadline_in(timeout));
}
period::electorate read(connection& on, const period::load_electorate&, milliseconds timeout) {
  return read_electorate(on, deadline_in(timeout));
}
listing::stored_listings read(connection& on, const listing::load_listings& asked, milliseconds timeout) {
  return read_listings(on, asked, deadline_in(timeout));
}
slash::stored_open_slashes read(connection& on, const slash::load_open_slashes& asked, milliseconds timeout) {
  return read_open_slashes(on, asked, deadline_in(timeout));
}
slash::stored_ballots read(connection& on, const slash::load_ballots& asked, milliseconds timeout) {
  return read_ballots(on, asked, deadline_in(timeout));
}
slash::found_slash read(connection& on, const slash::load_slash& asked, milliseconds timeout) {
  return read_slash(on, asked.slash, deadline_in(timeout));
}
slash::slash_page read(connection& on, const slash::find_slashes& asked, milliseconds timeout) {
  return read_slashes(on, asked, deadline_in(timeout));
}
slash::stored_roles read(connection& on, const slash::load_roles& asked, milliseconds timeout) {
  return read_roles(on, asked, deadline_in(timeout));
}

wallet::stored_wallet read(connection& on, const wallet::load_wallet& asked, milliseconds timeout) {
  return read_wallet(on, asked.profile, deadline_in(timeout));
}
wallet::stored_transfer read(connection& on, const wallet::load_transfer& asked, milliseconds timeout) {
  return read_transfer(on, asked, deadline_in(timeout));
}
market::stored_market read(connection& on, const market::load_market& asked, milliseconds timeout) {
  return read_market(on, asked, deadline_in(timeout));
}
market::position read(connection& on, const market::load_position& asked, milliseconds timeout) {
  return read_position(on, asked, deadline_in(timeout));
}
market::stored_positions read(connection& on, const market::load_positions& asked, milliseconds timeout) {
  return read_positions(on, asked, deadline_in(timeout));
}
market::stored_window read(connection& on, const market::load_window& asked, milliseconds timeout) {
  return read_window(on, asked, deadline_in(timeout));
}
market::face read(connection& on, const market::load_face& asked, milliseconds timeout) {
  return read_face(on, asked.whose, deadline_in(timeout));
}
market::stored_trade read(connection& on, const market::load_trade& asked, milliseconds timeout) {
  return read_trade(on, asked, deadline_in(timeout));
}

market::stored_names read(connection& on, const market::load_names& asked, milliseconds timeout) {
  return read_names(on, asked, deadline_in(timeout));
}
std::vector<market::market_view> read(connection& on, const market::get_markets& asked, milliseconds timeout) {
  return read_markets(on, asked, deadline_in(timeout));
}
market::price_list read(connection& on, const market::get_prices& asked, milliseconds timeout) {
  return read_prices(on, asked, deadline_in(timeout));
}
market::trade_list read(connection& on, const market::get_market_trades& asked, milliseconds timeout) {
  return read_market_trades(on, asked, deadline_in(timeout));
}
market::trade_list read(connection& on, const market::get_activity& asked, milliseconds timeout) {
  return read_activity(on, asked, deadline_in(timeout));
}
std::vector<market::holding> read(connection& on, const market::get_holdings& asked, milliseconds timeout) {
  return read_holdings(on, asked, deadline_in(timeout));
}
market::holdings_value read(connection& on, const market::get_holdings_value& asked, milliseconds timeout) {
  return read_holdings_value(on, asked, deadline_in(timeout));
}
market::total_volume read(connection& on, const market::get_volume& asked, milliseconds timeout) {
  return read_volume(on, asked, deadline_in(timeout));
}
market::stored_boards read(connection& on, const market::load_boards& asked, milliseconds timeout) {
  return read_boards(on, asked, deadline_in(timeout));
}
market::stored_accounts read(connection& on, const market::load_accounts& asked, milliseconds timeout) {
  return read_accounts(on, asked, deadline_in(timeout));
}
news::stored_x_accounts read(connection& on, const news::load_x_accounts& asked, milliseconds timeout) {
  return read_x_accounts(on, asked, deadline_in(timeout));
}

template <class Q>
class reading_of final : public reading {
public:
  using answer_type = decltype(read(std::declval<connection&>(), std::declval<const Q&>(), milliseconds{}));
  /// May read millions of rows, or rank thousands.
  static constexpr bool heavy = std::is_same_v<Q, project::load_project> || std::is_same_v<Q, market::load_market> || std::is_same_v<Q, market::load_boards> ||
                                std::is_same_v<Q, people::search_people>;

  reading_of(Q asked, caf::typed_response_promise<answer_type> to) : asked_(std::move(asked)), to_(std::move(to)) {}
  void run(connection& on, milliseconds timeout) override { found_.emplace(read(on, asked_, timeout)); }
  void answer() override { to_.deliver(std::move(*found_)); }
  void fail(caf::error why) override { to_.deliver(std::move(why)); }

private:
  Q asked_;
  caf::typed_response_promise<answer_type> to_;
  std::optional<answer_type> found_;
};

// -- a reader ------------------------------------------------------------------------------

class reader_plumbing {
public:
  static inline const char* name = "reader";
  using pointer = reader_entity::stateful_pointer<reader_plumbing>;

  void start(pointer self, const settings::store& how, std::size_t number, caf::actor_addr pool) {
    self_ = self;
    how_ = how;
    number_ = number;
    pool_ = std::move(pool);
    session_.application_name = "credence-reader";
    ops::the_metrics().of(ops::actor_kind::reader).live.add(1);
    // Plans are made once. They must not settle on reading a whole table because it
    // happened to be small then: every question here has an index.
    session_.options = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off";
  }

  void on_read(const read_this& asked) {
    const handling here{ops::actor_kind::reader, asked.what->asked_at};
    read_done done{number_, asked.what, std::nullopt};
    // A connection that broke since its last use costs one retry, no more.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const bool reused = connection_.has_value();
      done.why = try_once(*asked.what);
      if (done.why != trouble::lost || !reused)
        break;
    }
    if (auto pool = caf::actor_cast<caf::actor>(pool_))
      caf::anon_send(pool, std::move(done));
  }

private:
  std::optional<trouble> try_once(reading& what) {
    try {
      if (!connection_) {
        if (steady_clock::now() < not_before_)
          return trouble::lost;
        connection_.emplace(how_.database_url, session_, deadline_in(how_.connect_timeout));
      }
      what.run(*connection_, how_.load_timeout);
      return std::nullopt;
    } catch (const database_error& why) {
      ops::log(ops::level::warn, "load_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
      if (!connection_)
        not_before_ = steady_clock::now() + connect_pause;
      else if (!connection_->open())
        connection_.reset();
      return why.why();
    } catch (const std::exception& why) {
      ops::log(ops::level::error, "load_failed", {{"error", why.what()}});
      connection_.reset();
      return trouble::usage;
    }
  }

  pointer self_ = nullptr;
  settings::store how_;
  std::size_t number_ = 0;
  caf::actor_addr pool_;
  session session_;
  std::optional<connection> connection_;
  steady_time not_before_{};
};

reader_entity::behavior_type behave_reader(reader_plumbing::pointer self, const settings::store& how,
                                           std::size_t number, const caf::actor_addr& pool) {
  auto& state = self->state;
  state.start(self, how, number, pool);
  return {[&state](const read_this& asked) { state.on_read(asked); }};
}

// -- the pool --------------------------------------------------------------------------------

class pool_plumbing {
public:
  static inline const char* name = "readers";
  using pointer = pool_entity::stateful_pointer<pool_plumbing>;

  void start(pointer self, const settings::store& how, const store_status* status) {
    self_ = self;
    status_ = status;
    patience_ = 2 * how.load_timeout;
    const auto me = caf::actor_cast<caf::actor_addr>(pool_entity{self});
    for (std::size_t i = 0; i < std::max(how.readers, 1u); ++i) {
      readers_.push_back(self->home_system().spawn<caf::detached>(behave_reader, how, i, me));
      idle_.push_back(i);
    }
    under_way_.resize(readers_.size());
    self->set_exit_handler([this](caf::exit_msg& why) { end(std::move(why.reason)); });
  }

  template <class Q>
  auto on_question(Q& asked) {
    using job = reading_of<Q>;
    auto promise = self_->make_response_promise<typename job::answer_type>();
    metrics().loads.add();
    auto& waiting = job::heavy ? waiting_heavy_ : waiting_;
    if (!status_->owned.load(std::memory_order_acquire) || waiting.size() >= waiting_max) {
      metrics().load_failures.add();
      promise.deliver(caf::make_error(caf::sec::runtime_error));
      return promise;
    }
    auto fresh = std::make_shared<job>(std::move(asked), promise);
    fresh->asked_at = steady_clock::now();
    waiting.push_back(std::move(fresh));
    hand_out();
    return promise;
  }

  void on_done(read_done& done) {
    idle_.push_back(done.reader);
    under_way_[done.reader] = nullptr;
    if (done.why) {
      metrics().load_failures.add();
      done.what->fail(
        caf::make_error(done.why == trouble::deadline ? caf::sec::request_timeout : caf::sec::runtime_error));
    } else {
      metrics().load.observe(steady_clock::now() - done.what->asked_at);
      done.what->answer();
    }
    hand_out();
  }

private:
  /// Where the next question comes from, or null. One with much to read never takes the
  /// last idle reader, so that a short one need not wait for it to end.
  std::deque<std::shared_ptr<reading>>* next_queue() {
    if (idle_.empty())
      return nullptr;
    if (!waiting_.empty())
      return &waiting_;
    const bool one_to_spare = idle_.size() > 1 || readers_.size() == 1;
    return one_to_spare && !waiting_heavy_.empty() ? &waiting_heavy_ : nullptr;
  }

  void hand_out() {
    while (auto* from = next_queue()) {
      auto next = std::move(from->front());
      from->pop_front();
      // Whoever asked has given up by now: the database is spared the work.
      if (steady_clock::now() - next->asked_at > patience_) {
        metrics().load_failures.add();
        next->fail(caf::make_error(caf::sec::request_timeout));
        continue;
      }
      const auto reader = idle_.back();
      idle_.pop_back();
      under_way_[reader] = next;
      self_->send(readers_[reader], read_this{std::move(next)});
    }
  }

  void end(caf::error why) {
    for (auto* queue : {&waiting_, &waiting_heavy_}) {
      for (auto& each : *queue)
        each->fail(caf::make_error(caf::sec::runtime_error));
      queue->clear();
    }
    for (auto& each : under_way_)
      if (each)
        each->fail(caf::make_error(caf::sec::runtime_error));
    for (const auto& each : readers_)
      self_->send_exit(each, caf::exit_reason::user_shutdown);
    readers_.clear();
    self_->quit(std::move(why));
  }

  pointer self_ = nullptr;
  std::chrono::milliseconds patience_{};
  std::vector<reader_entity> readers_;
  std::vector<std::size_t> idle_;
  const store_status* status_ = nullptr;
  std::deque<std::shared_ptr<reading>> waiting_;
  std::deque<std::shared_ptr<reading>> waiting_heavy_;
  std::vector<std::shared_ptr<reading>> under_way_; // by reader; null while it is idle
};

pool_entity::behavior_type behave_pool(pool_plumbing::pointer self, const settings::store& how,
                                       const store_status* status) {
  auto& state = self->state;
  state.start(self, how, status);
  return {
    [&state](project::load_project& asked) { return state.on_question(asked); },
    [&state](profile::load_profile& asked) { return state.on_question(asked); },
    [&state](profile::load_xp& asked) { return state.on_question(asked); },
    [&state](profile::load_tips& asked) { return state.on_question(asked); },
    [&state](profile::load_tip_figures& asked) { return state.on_question(asked); },
    [&state](profile::load_receipt& asked) { return state.on_question(asked); },
    [&state](profile::load_credentials& asked) { return state.on_question(asked); },
    [&state](idempotency::load_record& asked) { return state.on_question(asked); },
    [&state](people::load_people& asked) { return state.on_question(asked); },
    [&state](people::load_users_of& asked) { return state.on_question(asked); },
    [&state](people::load_users& asked) { return state.on_question(asked); },
    [&state](people::find_people& asked) { return state.on_question(asked); },
    [&state](people::get_people& asked) { return state.on_question(asked); },
    [&state](people::get_bundle& asked) { return state.on_question(asked); },
    [&state](people::search_people& asked) { return state.on_question(asked); },
    [&state](period::load_periods& asked) { return state.on_question(asked); },
    [&state](period::load_electorate& asked) { return state.on_question(asked); },
    [&state](listing::load_listings& asked) { return state.on_question(asked); },
    [&state](wallet::load_wallet& asked) { return state.on_question(asked); },
    [&state](wallet::load_transfer& asked) { return state.on_question(asked); },
    [&state](market::load_market& asked) { return state.on_question(asked); },
    [&state](market::load_position& asked) { return state.on_question(asked); },
    [&state](market::load_positions& asked) { return state.on_question(asked); },
    [&state](market::load_window& asked) { return state.on_question(asked); },
    [&state](market::load_face& asked) { return state.on_question(asked); },
    [&state](market::load_trade& asked) { return state.on_question(asked); },
    [&state](market::load_names& asked) { return state.on_question(asked); },
    [&state](market::get_markets& asked) { return state.on_question(asked); },
    [&state](market::get_prices& asked) { return state.on_question(asked); },
    [&state](market::get_market_trades& asked) { return state.on_question(asked); },
    [&state](market::get_activity& asked) { return state.on_question(asked); },
    [&state](market::get_holdings& asked) { return state.on_question(asked); },
    [&state](market::get_holdings_value& asked) { return state.on_question(asked); },
    [&state](market::get_volume& asked) { return state.on_question(asked); },
    [&state](market::load_boards& asked) { return state.on_question(asked); },
    [&state](market::load_accounts& asked) { return state.on_question(asked); },
    [&state](news::load_x_accounts& asked) { return state.on_question(asked); },
    [&state](slash::load_open_slashes& asked) { return state.on_question(asked); },
    [&state](slash::load_ballots& asked) { return state.on_question(asked); },
    [&state](slash::load_slash& asked) { return state.on_question(asked); },
    [&state](slash::find_slashes& asked) { return state.on_question(asked); },
    [&state](slash::load_roles& asked) { return state.on_question(asked); },
    [&state](read_done& done) { state.on_done(done); },
  };
}

} // namespace

reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status) {
  return sys.spawn(behave_pool, how, &status);
}

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_this)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::read_done)
