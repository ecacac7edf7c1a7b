#include "actors/oversight/oversight_actor.hpp"

#include "actors/kernel/single_actor.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace credence::oversight {

namespace {

class oversight_actor
  : public single_actor<oversight_actor, ops::actor_kind::oversight, oversight_handle, context, storage> {
public:
  static inline const char* name = "oversight";

  template <class Question>
  void on(const ask<Question>& question) {
    pass_on(question, *question);
  }

  /// All events are looked at, so the figures are kept for long where that takes long. Where it takes too long there
  /// are none.
  void on(const ask<count_events>& question) {
    read(question, [&] {
      const auto began = steady_clock::now();
      if (counted_of_ == question->chain && began < counted_until_)
        return question.answer(counts_);
      const auto keep = [this, question, began](std::vector<event_count> counts) {
        const auto now = steady_clock::now();
        counted_of_ = question->chain;
        counts_ = std::move(counts);
        counted_until_ = now + std::max<steady_clock::duration>(counts_kept_least, counts_kept_for * (now - began));
        question.answer(counts_);
      };
      load_for(
        question, *question, [keep](std::vector<event_count>& found) { keep(std::move(found)); }, [keep] { keep({}); });
    });
  }

private:
  static constexpr std::chrono::seconds counts_kept_least{5};
  static constexpr int counts_kept_for = 50; // times what counting took

  std::vector<event_count> counts_;
  std::int64_t counted_of_ = 0; // the chain
  steady_time counted_until_{};
};

} // namespace

oversight_handle spawn_oversight(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<oversight_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::oversight
