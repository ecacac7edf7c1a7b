#include "actors/kernel/canary_actor.hpp"

#include "actors/domain/time.hpp"
#include "actors/kernel/actor.hpp"

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

using canary_handle = actor_handle<sing>;

class canaries::cage {
public:
  struct perch {
    canary_handle bird;
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
        send(each.bird, sing{wait_at});
  }

  std::vector<perch> perches;
  std::array<std::atomic<std::uint64_t>, threads_max> heard{};

private:
  std::atomic<std::size_t> next_{0};
};

namespace {

template <class Cage>
class canary : public actor {
public:
  static inline const char* name = "canary";
  using takes = canary_handle::takes;

  void start(std::shared_ptr<Cage> in, std::size_t at) {
    in_ = std::move(in);
    at_ = at;
  }
  void on(const sing& how) {
    in_->heard_here();
    if (how.wait_at)
      how.wait_at->arrive();
    in_->perches[at_].owes.store(false, std::memory_order_release);
  }

private:
  std::shared_ptr<Cage> in_;
  std::size_t at_ = 0;
};

} // namespace

canaries::canaries(caf::actor_system& sys, std::size_t threads) : cage_(std::make_shared<cage>(threads)) {
  for (std::size_t i = 0; i < cage_->perches.size(); ++i)
    cage_->perches[i].bird = canary_handle{spawn<canary<cage>>(sys, cage_, i)};
}

canaries::~canaries() {
  for (auto& each : cage_->perches) {
    tell_to_end(each.bird);
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
