#include "actors/kernel/heartbeat_actor.hpp"

#include "actors/domain/time.hpp"
#include "actors/kernel/actor.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace credence {

/// Where heartbeat_probes wait for each other.
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

struct probe_message {
  std::shared_ptr<roll> wait_at; // null: nowhere
};

using canary_handle = actor_handle<probe_message>;

class heartbeat_probes::probe_set {
public:
  struct slot {
    canary_handle probe;
    std::atomic<bool> owes{false};
  };

  explicit probe_set(std::size_t threads) : slots(std::clamp<std::size_t>(threads, 1, threads_max)) {}

  void heard_here() {
    thread_local struct {
      const probe_set* of = nullptr;
      std::size_t slot = 0;
    } here;
    if (here.of != this)
      here = {this, next_.fetch_add(1, std::memory_order_relaxed)};
    if (here.slot < threads_max)
      heard[here.slot].fetch_add(1, std::memory_order_relaxed);
  }

  void ask(const std::shared_ptr<roll>& wait_at) {
    for (auto& each : slots)
      if (!each.owes.exchange(true, std::memory_order_acq_rel))
        send(each.probe, probe_message{wait_at});
  }

  std::vector<slot> slots;
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
  void on(const probe_message& how) {
    in_->heard_here();
    if (how.wait_at)
      how.wait_at->arrive();
    in_->slots[at_].owes.store(false, std::memory_order_release);
  }

private:
  std::shared_ptr<Cage> in_;
  std::size_t at_ = 0;
};

} // namespace

heartbeat_probes::heartbeat_probes(caf::actor_system& sys, std::size_t threads)
  : probes_(std::make_shared<probe_set>(threads)) {
  for (std::size_t i = 0; i < probes_->slots.size(); ++i)
    probes_->slots[i].probe = canary_handle{spawn<canary<probe_set>>(sys, probes_, i)};
}

heartbeat_probes::~heartbeat_probes() {
  for (auto& each : probes_->slots) {
    tell_to_end(each.probe);
    each.probe = nullptr; // they hold the probe_set
  }
}

std::size_t heartbeat_probes::threads() const noexcept { return probes_->slots.size(); }
std::uint64_t heartbeat_probes::heard(std::size_t n) const noexcept {
  return probes_->heard[n].load(std::memory_order_relaxed);
}
void heartbeat_probes::call() { probes_->ask(nullptr); }
void heartbeat_probes::probe_all(std::chrono::milliseconds timeout) {
  probes_->ask(std::make_shared<roll>(probes_->slots.size(), steady_clock::now() + timeout));
}

} // namespace credence
