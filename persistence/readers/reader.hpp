#pragma once

#include "actors/domain/time.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/load.hpp"
#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/query_policy.hpp"

#include <any>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

/// One read connection, as the pool of readers (reader_pool.hpp) uses it.
namespace credence::persistence {

/// When the server gives a statement of that kind up: a little before we do, which spares the connection.
milliseconds given_up_after(const query_policy& how, const settings::store& with);

/// Questions of one kind on their way through the pool: run by a reader, answered by the pool.
class reading {
public:
  /// Who waits for the answer to one of them.
  struct listener {
    question_ref who;
    void (*answer)(const question_ref& who, std::any& found);
  };

  explicit reading(const load_handler& by, lane on, const asker& whose = {}) : by_(by), on_(on), whose_(whose) {}
  void add(std::any question, listener to) {
    asked_.push_back(std::move(question));
    to_.push_back(std::move(to));
  }
  std::type_index kind() const noexcept { return by_.kind; }
  const query_policy& how() const noexcept { return by_.how; }
  lane in_lane() const noexcept { return on_; }
  /// Whose share of the lane it takes; what is read in groups is the service's.
  const asker& whose() const noexcept { return whose_; }
  std::size_t size() const noexcept { return asked_.size(); }
  /// Parts with its second half.
  std::shared_ptr<reading> split();

  void run(connection& on, milliseconds timeout);
  /// Tells each asker what was found.
  void answer();
  /// The same where nothing was. A list that the server has given up for its time counts as its work all the same.
  void fail(failure why);

  /// Whether anybody still waits for an answer.
  bool wanted() const noexcept;
  /// How long it has been read so far; 0 where that has not begun. From any thread.
  std::chrono::nanoseconds running_for(steady_time now) const noexcept;

  /// When the first of them was asked.
  steady_time asked_at = steady_clock::now();

private:
  void count_for_all() const noexcept;

  const load_handler& by_;
  const lane on_;
  const asker whose_;
  std::atomic<steady_time> began_{steady_time{}};
  std::atomic<std::chrono::nanoseconds> took_{
    std::chrono::nanoseconds{0}}; // of what the server has ended, or given up for its time
  std::vector<std::any> asked_;
  std::vector<listener> to_;
  std::vector<std::any> found_;
};

/// The questions of one kind that are read in groups: while a statement of theirs is under way
/// the others gather, and become the next one.
class gathering {
public:
  /// Takes a question in; returns the group to be read now, or null while one is under way.
  std::shared_ptr<reading> add(const load_handler& by, std::any question, reading::listener to);
  /// The group under way has its answer, or its failure: the one to be read next, or null.
  std::shared_ptr<reading> next();
  bool is_under_way(const reading* which) const noexcept { return under_way_.get() == which; }
  /// The database refused the group under way: it is read again in halves, until the question
  /// that cannot be read stands alone. False when it does already.
  bool split();
  /// Fails all that gather.
  void fail(failure why);

private:
  std::deque<std::shared_ptr<reading>> waiting_;
  std::shared_ptr<reading> under_way_;
};

struct read_this {
  std::shared_ptr<reading> task;
};
/// A reader is idle again; `why` is set when it could not read.
struct read_done {
  lane on = lane::loads;
  std::size_t reader = 0;
  std::shared_ptr<reading> task;
  std::optional<trouble> why;
};
/// A reader has died.
struct reader_gone {
  lane on = lane::loads;
  std::size_t reader = 0;
};

using reader_entity = actor_handle<read_this>;

/// Spawns a reader on a thread of its own. It connects when it has to read, and tells `pool` `read_done` each time.
/// While the database is away it fails at once; `status`, which outlives it, tells it when the writer got through
/// again.
reader_entity spawn_reader(caf::actor_system& sys, const settings::store& how, const store_status& status, lane on,
                           std::size_t number, const weak_actor_ref& pool);

} // namespace credence::persistence
