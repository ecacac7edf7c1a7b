#include "actors/kernel/canary_actor.hpp"

#include "actors/domain/time.hpp"

#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace credence {

/// Where canaries wait for each other.
class roll {
public:
  roll(std::size_t expected, steady_time until) : missing_(expected), until_(until) {}
  void arrive() {
    std::unique_lock lock{guard_};
    if (--missing_ == 0)
      return all_here_.notify_all();
    all_here_.wait_until(lock, until_, [this] { return missing_ == 0; });
  }

private:
  std::mutex guard_;
  std::condition_variable all_here_;
  std::size_t missing_;
  steady_time until_;
};

struct sing {
  std::shared_ptr<roll> wait_at; // null: nowhere
};

} // namespace credence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::sing)

namespace credence {

namespace {

using canary = caf::typed_actor<caf::reacts_to<sing>>;

struct named {
  static inline const char* name = "canary";
};

} // namespace

class canaries::cage {
public:
  struct perch {
    canary bird;
    std::atomic<bool> owes{false};
  };

  explicit cage(std::size_t threads) : perches(std::clamp<std::size_t>(threads, 1, threads_max)) {}

  void heard_here() {
    thread_local struct {
      const cage* of = nullptr;
      std::size_t slot = 0;
    } here;
    if (here.of != this)
      here = {this, next_.fetch_add(1, std::memory_order_relaxed)};
    if (here.slot < threads_max)
      heard[here.slot].fetch_add(1, std::memory_order_relaxed);
  }

  void ask(const std::shared_ptr<roll>& wait_at) {
    for (auto& each : perches)
      if (!each.owes.exchange(true, std::memory_order_acq_rel))
        caf::anon_send(each.bird, sing{wait_at});
  }

  std::vector<perch> perches;
  std::array<std::atomic<std::uint64_t>, threads_max> heard{};

private:
  std::atomic<std::size_t> next_{0};
};

namespace {

template <class Cage>
canary::behavior_type behave(canary::stateful_pointer<named>, const std::shared_ptr<Cage>& in, std::size_t at) {
  return {[in, at](const sing& how) {
    in->heard_here();
    if (how.wait_at)
      how.wait_at->arrive();
    in->perches[at].owes.store(false, std::memory_order_release);
  }};
}

} // namespace

canaries::canaries(caf::actor_system& sys, std::size_t threads) : cage_(std::make_shared<cage>(threads)) {
  for (std::size_t i = 0; i < cage_->perches.size(); ++i)
    cage_->perches[i].bird = sys.spawn(behave<cage>, cage_, i);
}

canaries::~canaries() {
  for (auto& each : cage_->perches) {
    caf::anon_send_exit(each.bird, caf::exit_reason::user_shutdown);
    each.bird = nullptr; // they hold the cage
  }
}

std::size_t canaries::threads() const noexcept { return cage_->perches.size(); }
std::uint64_t canaries::heard(std::size_t n) const noexcept { return cage_->heard[n].load(std::memory_order_relaxed); }
void canaries::call() { cage_->ask(nullptr); }
void canaries::roll_call(std::chrono::milliseconds patience) {
  cage_->ask(std::make_shared<roll>(cage_->perches.size(), steady_clock::now() + patience));
}

} // namespace credence
