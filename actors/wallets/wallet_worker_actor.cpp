#include "actors/wallets/wallet_worker_actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <utility>

namespace credence::wallets {

namespace {

/// One thread.
struct worker {
  static inline const char* name = "wallet worker";
};

wallet_workers_handle::behavior_type work(wallet_workers_handle::stateful_pointer<worker>, const worker_tools& with) {
  return {[with](const blocking_work& order) {
    work_done out;
    try {
      out.result = order.run(*with.nodes, *with.keys);
    } catch (const std::exception& failure) {
      out.why = failure.what();
    }
    return out;
  }};
}

/// Deals work out to the threads that are idle.
class dispatcher {
public:
  static inline const char* name = "wallet workers";
  using pointer = wallet_workers_handle::stateful_pointer<dispatcher>;

  void start(pointer self, const std::vector<worker_tools>& tools, std::size_t waiting_max) {
    self_ = self;
    waiting_max_ = waiting_max;
    for (const auto& each : tools)
      idle_.push_back(self->spawn<caf::linked + caf::detached>(work, each));
  }

  caf::result<work_done> take(const blocking_work& order) {
    if (waiting_.size() >= waiting_max_)
      return work_done{nullptr, "too much waits for the chain's nodes; try again shortly"};
    auto promise = self_->make_response_promise<work_done>();
    waiting_.push_back({order, promise});
    deal_out();
    return promise;
  }

private:
  struct waiting {
    blocking_work order;
    caf::typed_response_promise<work_done> promise;
  };

  void deal_out() {
    while (!idle_.empty() && !waiting_.empty()) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      auto who = std::move(idle_.back());
      idle_.pop_back();
      self_->request(who, caf::infinite, std::move(next.order))
        .then(
          [this, who, promise = next.promise](work_done& done) mutable {
            promise.deliver(std::move(done));
            idle_.push_back(who);
            deal_out();
          },
          [promise = next.promise](const caf::error& why) mutable { promise.deliver(why); });
    }
  }

  pointer self_ = nullptr;
  std::size_t waiting_max_ = 0;
  std::vector<wallet_workers_handle> idle_;
  std::deque<waiting> waiting_;
};

} // namespace

wallet_workers_handle spawn_wallet_workers(caf::actor_system& sys, std::vector<worker_tools> tools,
                                           std::size_t waiting_max) {
  return sys.spawn(
    [](dispatcher::pointer self, const std::vector<worker_tools>& with,
       std::size_t most) -> wallet_workers_handle::behavior_type {
      self->state.start(self, with, most);
      return {[self](const blocking_work& order) { return self->state.take(order); }};
    },
    std::move(tools), waiting_max);
}

} // namespace credence::wallets
