#pragma once

#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/readers/lane_queue.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <typeindex>
#include <unordered_map>
#include <vector>

/// The pool of read connections, as its actor sees it.
namespace credence::persistence {

/// To the pool itself: time to look which of the questions that were asked straight of the readers are overdue.
struct sweep_due {};

/// The pool's actor. It knows no kind of question: each has its own `handler` (query_policy.hpp).
class reader_pool : public actor {
public:
  static inline const char* name = "readers";
  using takes = extended<reader_handle, read_done, reader_gone, sweep_due>::takes;

  void start(const settings::store& how, const store_status* status, std::vector<load_handler> kinds);

  /// Answers with what is read for a question.
  void on(const ask<any_load>& load);
  void on(straight_load& load);
  void on(const sweep_due&);
  void on(read_done& done);
  /// A question that was being read fails alone, or with those that it was read together with.
  void on(const reader_gone& who);

private:
  reader_entity watched_reader(lane which, std::size_t number);
  void start_lane(lane which, std::uint32_t count, lane_queue::bounds bounds);
  lane_queue& line(lane which) { return lanes_[static_cast<std::size_t>(which)]; }
  /// Why a question may not wait, if so. Counts it in any case.
  std::optional<failure> denied(lane which, const asker& whose);
  /// The reading that a question waits in, where that is its alone.
  std::weak_ptr<const reading> take_in(std::any question, const asker& by, reading::listener to);
  void push(std::shared_ptr<reading> group);
  void hand_out(lane which);
  void finish(reading& reading, std::optional<trouble> why);
  void tell(reading& reading, std::optional<trouble> why);
  bool split(const reading& reading);
  void told_to_end() override;

  /// A question that was asked straight of the readers, and until when it may take. One timer serves all: one of each
  /// would stay in the clock until it rings, also when the answer has come.
  struct straight_question {
    steady_time until;
    question_ref asked;
    std::weak_ptr<const reading> read;
  };
  void count_so_far(const straight_question& late, steady_time now) const;

  settings::store how_;
  const store_status* status_ = nullptr;
  std::array<lane_queue, lanes> lanes_;
  /// How a kind of question is read, and where those gather that are read together.
  struct kind {
    load_handler by;
    gathering batch_max;
  };
  std::unordered_map<std::type_index, kind> kinds_;
  std::vector<straight_question> straight_; // those that are answered go with the next sweep
};

/// Spawns the read connections, each on a thread of its own and opened on first use: those for
/// loads and those for lists, which never wait for each other (`handler` beside the SQL of each question says
/// which), and two for whatever the console asks. In each lane askers are served in turn (lane_queue.hpp). Loads of one
/// kind that wait while a statement of theirs is under way become the next one. Questions fail until `status.owned`: a
/// batch of an earlier writer might still be committed after a read.
reader_handle spawn_readers(caf::actor_system& sys, const settings::store& how, const store_status& status);

} // namespace credence::persistence
