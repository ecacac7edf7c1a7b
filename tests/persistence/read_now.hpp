#pragma once

#include "actors/store.hpp"
#include "persistence/readers/query_policy.hpp"
#include "persistence/writer/fact_sql.hpp"
#include "tests/persistence/database.hpp"
#include "tests/waiting.hpp"

#include <any>
#include <chrono>
#include <utility>

namespace credence::persistence {

/// What the readers answer to a question, read on a connection of the test's.
template <class Q>
answer_of<Q, all_loads> read_now(connection& on, const Q& question, steady_time deadline) {
  const std::any asked_for{question};
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  auto found = handler(asked<Q>{}).read(on, {&asked_for, 1}, left);
  return std::any_cast<answer_of<Q, all_loads>>(std::move(found.front()));
}

} // namespace credence::persistence

namespace credence::test {

/// A database that a test reads and writes without a store, and a connection to it.
struct one_database {
  explicit one_database(std::string of = fresh_database()) : url(std::move(of)), on(look_into(url)) {}

  static steady_time soon() { return persistence::deadline_in(wait_at_most); }
  /// The answer to a question, as readers give it.
  template <class Q>
  auto read(const Q& question) {
    return persistence::read_now(on, question, soon());
  }
  /// Writes one change, as the writer does, in a transaction of its own.
  template <class Change>
  void write(const Change& change) {
    persistence::transaction all{on, soon()};
    persistence::write_now(on, change, 0, soon());
    all.commit(soon());
  }
  /// Runs statements on another connection.
  void sql(const std::string& statements) const { run_sql(url, statements); }
  std::int64_t number(const std::string& scalar) const { return number_from(url, scalar); }
  std::int64_t how_many(const std::string& from) const { return test::how_many(url, from); }
  std::vector<std::int64_t> numbers(const std::string& column) { return numbers_from(on, column); }

  const std::string url;
  persistence::connection on;
};

} // namespace credence::test
