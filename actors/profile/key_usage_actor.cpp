#include "actors/profile/key_usage_actor.hpp"

#include "actors/kernel/single_actor.hpp"

namespace credence::profile {

/// Time to store what was used.
struct store_uses {};

namespace {

using namespace std::chrono_literals;

constexpr auto store_every = 5s;
constexpr auto store_deadline = 2s;
constexpr std::size_t kept_max = 100000; // while the database is away

class key_usage_actor : public writing<single_actor<key_usage_actor, ops::actor_kind::key_usage, key_usage_handle,
                                                    context, storage, write_outcome, store_uses>> {
public:
  static inline const char* name = "key usage";

  void start_up() { after(store_every, store_uses{}); }

  void on(const key_used& change) {
    if (seen_.uses.size() < kept_max)
      seen_.uses.push_back({change.id, with_->now()});
  }

  void on(const store_uses&) {
    after(store_every, store_uses{});
    if (seen_.uses.empty() || closed())
      return;
    // A stamp that gets lost is followed by the next one within a minute.
    writes_.send(storage_, *this, std::exchange(seen_, {}), steady_clock::now() + store_deadline, nullptr,
                 {[](const write_outcome&) {}, [](failure) {}});
  }

  void on(const write_outcome& outcome) {
    if (writes_.on_outcome(outcome) != pending_writes::verdict::goes_on)
      writes_ = pending_writes{};
  }

private:
  keys_used seen_;
};

} // namespace

key_usage_handle spawn_key_usage(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<key_usage_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::profile
