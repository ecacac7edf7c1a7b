#include "actors/wallets/signer_actor.hpp"

#include <deque>
#include <utility>

namespace credence::wallets {

namespace {

/// One thread.
class worker : public actor {
public:
  static inline const char* name = "wallet worker";
  using takes = wallet_workers_handle::takes;

  void start(worker_tools with) { with_ = std::move(with); }
  void on(const ask<blocking_work>& order) {
    work_done out;
    try {
      out.result = order->run(*with_.nodes, *with_.keys);
    } catch (const std::exception& failure) {
      out.why = failure.what();
    }
    order.answer(std::move(out));
  }

private:
  worker_tools with_;
};

/// Deals work out to the threads that are idle.
class dispatcher : public actor {
public:
  static inline const char* name = "wallet workers";
  using takes = wallet_workers_handle::takes;

  void start(const std::vector<worker_tools>& tools, std::size_t waiting_max) {
    waiting_max_ = waiting_max;
    for (const auto& each : tools)
      idle_.emplace_back(linked(*this, spawn_on_own_thread<worker>(system(), each)));
  }

  void on(const ask<blocking_work>& order) {
    if (waiting_.size() >= waiting_max_)
      return order.answer(work_done{nullptr, "too much waits for the chain's nodes; try again shortly"});
    waiting_.push_back(order);
    deal_out();
  }

private:
  void deal_out() {
    while (!idle_.empty() && !waiting_.empty()) {
      auto next = std::move(waiting_.front());
      waiting_.pop_front();
      auto who = std::move(idle_.back());
      idle_.pop_back();
      request(who, for_ever, std::move(next.question()))
        .then(
          [this, who, next](work_done& done) {
            next.answer(std::move(done));
            idle_.push_back(who);
            deal_out();
          },
          [next](failure why) { next.fail(why); });
    }
  }

  std::size_t waiting_max_ = 0;
  std::vector<wallet_workers_handle> idle_;
  std::deque<ask<blocking_work>> waiting_;
};

} // namespace

wallet_workers_handle spawn_wallet_workers(caf::actor_system& sys, std::vector<worker_tools> tools,
                                           std::size_t waiting_max) {
  return wallet_workers_handle{spawn<dispatcher>(sys, std::move(tools), waiting_max)};
}

} // namespace credence::wallets
