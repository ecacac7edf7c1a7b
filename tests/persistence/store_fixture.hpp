#pragma once

#include "persistence/store.hpp"
#include "persistence/writer/takeover.hpp"
#include "tests/answer_from.hpp"
#include "tests/persistence/database.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <thread>

namespace credence::persistence {

/// Longer than anything takes that goes well.
inline constexpr std::chrono::seconds in_time{60};

/// What the listener has heard, readable by the test.
class ledger {
public:
  void note(const write_outcome& outcome) {
    const std::lock_guard lock{mutex_};
    heard_[outcome.result] += outcome.count;
    if (outcome.result != write_result::in_doubt)
      final_ += outcome.count;
    changed_.notify_all();
  }
  std::uint64_t count(write_result result) {
    const std::lock_guard lock{mutex_};
    return heard_[result];
  }
  std::uint64_t finals() {
    const std::lock_guard lock{mutex_};
    return final_;
  }
  template <class Done>
  bool wait(Done done) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, in_time, [&] { return done(heard_, final_); });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<write_result, std::uint64_t> heard_;
  std::uint64_t final_ = 0;
};

/// A store on a database of its own, opened when it is first asked for.
struct Store : ::testing::Test {
  explicit Store(int profiles = 20, int projects = 5)
    : url(test::fresh_database(profiles, projects)), how(test::store_settings(url)), system(config) {
    listener = spawn_functions<write_listener>(system, [this](const write_outcome& outcome) { heard.note(outcome); });
  }
  ~Store() override {
    if (opened) {
      tell_to_end(opened->writer);
      tell_to_end(opened->reader);
    }
    tell_to_end(listener);
  }

  store& open() {
    if (!opened) {
      opened.emplace(open_store(system, how, status, persistence::claim{}));
      const auto until = steady_clock::now() + in_time;
      while (!status.owned && steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return *opened;
  }
  bool wait_writable(bool yes = true) {
    const auto until = steady_clock::now() + in_time;
    while (status.writable != yes && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return status.writable == yes;
  }
  void cast(int project, int voter, int number, steady_time deadline = steady_clock::now() + in_time) {
    send(open().writer,
         write_request{{static_cast<std::uint64_t>(project) * 1000000 + static_cast<std::uint64_t>(life), 0},
                       project::vote_cast{project_id{project}, profile_id{voter}, number, period_id{1},
                                          project::sentiment::bullish, std::nullopt,
                                          timestamp{std::chrono::seconds{1767225600}}},
                       listener,
                       deadline});
  }
  /// The answer to a question, or an empty optional when it failed.
  template <class Answer, class Q>
  std::optional<Answer> ask(Q question) {
    return test::loaded_from<Answer>(open().reader, std::move(question));
  }
  bool settle_writes() { return test::answer_from(open().writer, settle{}).has_value(); }

  std::string url;
  settings::store how;
  store_status status;
  ledger heard;
  int life = 1;
  caf::actor_system_config config;
  caf::actor_system system;
  write_listener listener;
  std::optional<store> opened;
};

} // namespace credence::persistence
