#pragma once

#include "actors/kernel/writes.hpp"
#include "config/settings.hpp"
#include "persistence/readers/lane_queue.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/message_handler.hpp>
#include <caf/stateful_actor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// The pool of read connections, as who answers the questions of an entity sees it (handlers.hpp).
namespace credence::persistence {

/// The state of the pool's actor. It knows no kind of question: each entity adds its own (`handlers_of`).
class reader_pool {
public:
  static inline const char* name = "readers";
  using pointer = caf::stateful_actor<reader_pool>*;

  void start(pointer self, const settings::store& how, const store_status* status);

  /// A place where questions of one kind gather, each group to be read by one statement. It stays as long as the pool.
  template <class Q>
  gathering<Q>& gather() {
    auto fresh = std::make_unique<gathering<Q>>();
    auto& out = *fresh;
    gatherings_.push_back(std::move(fresh));
    return out;
  }

  /// Answers with what is read for a question, or with an error.
  template <class Q>
  auto ask(const manner& how, Q& question) {
    auto promise = self_->make_response_promise<answer_to<Q>>();
    if (admit(how, promise)) {
      lane_of(how).push(std::make_shared<single_reading<Q>>(how, std::move(question), promise));
      hand_out(how.on);
    }
    return promise;
  }
  /// The same, by one statement with others of its kind.
  template <class Q>
  auto ask(const manner& how, Q& question, gathering<Q>& together) {
    auto promise = self_->make_response_promise<typename answers_to<Q>::value_type>();
    if (admit(how, promise)) {
      push(together.add(how, std::move(question), promise));
      hand_out(how.on);
    }
    return promise;
  }

  void on_done(read_done& done);
  /// A question that was being read fails alone, or with those that it was read together with.
  void on_gone(const reader_gone& who);

private:
  reader_entity watched_reader(lane which, std::size_t number);
  void start_lane(lane which, std::uint32_t count, lane_queue::bounds bounds);
  lane_queue& lane_of(const manner& how) { return lanes_[static_cast<std::size_t>(how.on)]; }
  /// Whether a question may wait; counts it, also one that may not.
  bool admit(const manner& how);
  template <class Promise>
  bool admit(const manner& how, Promise& promise) {
    const bool in = admit(how);
    if (!in)
      promise.deliver(caf::make_error(caf::sec::runtime_error));
    return in;
  }
  void push(std::shared_ptr<reading> group);
  void hand_out(lane which);
  void settle(reading& reading, std::optional<trouble> why);
  void tell(reading& reading, std::optional<trouble> why);
  bool split(const reading& reading);
  void end(caf::error why);

  pointer self_ = nullptr;
  settings::store how_;
  const store_status* status_ = nullptr;
  std::array<lane_queue, lanes> lanes_;
  std::vector<std::unique_ptr<any_gathering>> gatherings_;
};

/// Answers the questions of one entity, by its `Storage`. Instantiated for each in a file of its own
/// (persistence/readers/<entity>_loads.cpp), so that no file has them all: an entity without one does not link.
template <class Storage>
caf::message_handler handlers_of(reader_pool& pool);

} // namespace credence::persistence
