#pragma once

#include "persistence/store.hpp"
#include "persistence/writer/takeover.hpp"
#include "tests/answer_from.hpp"
#include "tests/persistence/database.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace credence::test {

/// A store on a database of its own: changes go in by its writer and come out by its
/// readers. Profiles 1 to 20 are there, without XP.
class one_store {
public:
  one_store() : url(fresh_database()), how_(store_settings(url)), system_(config_) {
    opened_.emplace(persistence::open_store(system_, how_, status_, persistence::claim{}));
    const auto until = steady_clock::now() + in_time;
    while (!status_.writable && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  ~one_store() {
    tell_to_end(opened_->writer);
    tell_to_end(opened_->reader);
  }

  /// Writes one change, in a stream of its own, and waits for what becomes of it.
  write_outcome write(change change, std::shared_ptr<const write_context> note = {}) {
    const auto told = std::make_shared<std::promise<write_outcome>>();
    auto outcome = told->get_future();
    const auto listener =
      spawn_functions<write_listener>(system_, [told](const write_outcome& came) { told->set_value(came); });
    status_.queued.fetch_add(1);
    send(opened_->writer,
         write_request{
           {next_incarnation(), 0}, std::move(change), listener, steady_clock::now() + in_time, std::move(note)});
    const auto came = outcome.get();
    tell_to_end(listener);
    return came;
  }
  write_result result_of(change change, std::shared_ptr<const write_context> note = {}) {
    return write(std::move(change), std::move(note)).result;
  }

  /// The answer to a question; throws when there is none.
  template <class Q>
  auto read(Q question) {
    return loaded_from<answer_of<Q, all_loads>>(opened_->reader, std::move(question)).value();
  }

  std::int64_t number(const std::string& sql) { return number_from(url, sql); }
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }

  const std::string url;

private:
  static constexpr std::chrono::seconds in_time{60};
  settings::store how_;
  store_status status_;
  caf::actor_system_config config_;
  caf::actor_system system_;
  std::optional<store> opened_;
};

/// What tests of such a store begin with.
struct store_tests : testing::Test {
  /// Writes what the database has to take.
  void put(change change) { ASSERT_EQ(store.result_of(std::move(change)), write_result::stored); }
  /// Whether the database says no to it.
  bool refuses(change change, std::shared_ptr<const write_context> note = {}) {
    return store.result_of(std::move(change), std::move(note)) == write_result::failed;
  }

  one_store store;
};

} // namespace credence::test
