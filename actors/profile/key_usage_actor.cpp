#include "actors/profile/key_usage_actor.hpp"

#include "actors/kernel/pending_writes.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace credence::profile {

namespace {

using namespace std::chrono_literals;

constexpr auto store_every = 5s;
constexpr auto store_deadline = 2s;
constexpr std::size_t kept_max = 100000; // while the database is away

struct store_uses {};

using entity = key_usage_handle::extend<caf::reacts_to<write_outcome>, caf::reacts_to<store_uses>>;

struct plumbing {
  static inline const char* name = "key usage";
  std::shared_ptr<const context> with;
  keys_used seen;
  pending_writes writes;

  template <class Self>
  void store(Self* self) {
    self->delayed_send(self, store_every, store_uses{});
    if (seen.uses.empty() || pending_writes::closed(with->storage, with->queue_max))
      return;
    // A stamp that gets lost is followed by the next one within a minute.
    writes.send(with->storage, self, std::exchange(seen, {}), steady_clock::now() + store_deadline, nullptr,
                {[](const write_outcome&) {}, [](failure) {}});
  }
};

entity::behavior_type behave(entity::stateful_pointer<plumbing> self, std::shared_ptr<const context> with) {
  self->state.with = std::move(with);
  self->delayed_send(self, store_every, store_uses{});
  return {
    [self](const key_used& what) {
      auto& state = self->state;
      if (state.seen.uses.size() < kept_max)
        state.seen.uses.push_back({what.id, state.with->now()});
    },
    [self](const write_outcome& what) {
      auto& writes = self->state.writes;
      if (writes.on_outcome(what) == pending_writes::verdict::goes_on)
        return;
      writes = pending_writes{};
    },
    [self](store_uses) { self->state.store(static_cast<entity::pointer>(self)); },
  };
}

} // namespace

key_usage_handle spawn_key_usage(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::profile

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::store_uses)
