#pragma once

#include "persistence/writer/batch_writer.hpp"
#include "tests/persistence/database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

namespace credence::persistence {

/// A writer on a database of its own, which works when the test says so.
struct BatchWriter : ::testing::Test {
  static constexpr std::chrono::seconds longest{60};

  BatchWriter() : url(test::fresh_database()), how(test::store_settings(url)) {}

  batch_writer& writer() {
    if (!writer_)
      writer_ = std::make_unique<batch_writer>(
        how, status, [this](const write_listener&, const write_outcome& outcome) { outcomes.push_back(outcome); },
        postgres_sessions(how, "credence-writer"), clocks, mine);
    return *writer_;
  }

  /// Works until `done`; false when that takes unreasonably long.
  template <class Done>
  bool work_until(Done done) {
    const auto until = steady_clock::now() + longest;
    while (!done()) {
      if (steady_clock::now() > until)
        return false;
      const auto due = writer().work();
      std::this_thread::sleep_until(std::min(due, steady_clock::now() + std::chrono::milliseconds{10}));
    }
    return true;
  }
  bool connect() {
    return work_until([this] { return writer().connected(); });
  }
  bool work_off() {
    return work_until([this] { return writer().settled(writer().taken()); });
  }

  void send(std::uint64_t stream, change change, steady_time deadline = steady_clock::now() + longest,
            std::uint32_t attempt = 0) {
    writer().take({{stream, attempt}, std::move(change), write_listener{}, deadline});
  }

  /// A vote on `project` with the project's next number. The stream is the project's.
  change vote(int project, int voter, int period = 1, std::optional<std::string> reason = {}) {
    return project::vote_cast{project_id{project},
                              profile_id{voter},
                              ++numbers[project],
                              period_id{period},
                              voter % 2 ? project::sentiment::bullish : project::sentiment::bearish,
                              std::move(reason),
                              timestamp{std::chrono::seconds{1767225600} + std::chrono::seconds{voter}}};
  }

  /// How many changes of a stream ended so.
  std::uint32_t count(std::uint64_t stream, write_result result) const {
    std::uint32_t sum = 0;
    for (const auto& each : outcomes)
      if (each.stream.incarnation == stream && each.result == result)
        sum += each.count;
    return sum;
  }

  std::string url;
  settings::store how;
  store_status status;
  clock_source clocks;
  const claim mine; // of this process
  std::vector<write_outcome> outcomes;
  std::map<int, int> numbers;
  std::unique_ptr<batch_writer> writer_;
};

} // namespace credence::persistence
