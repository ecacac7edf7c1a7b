#include "actors/kernel/router.hpp"
#include "actors/wallet/wallet_entity.hpp"

#include <caf/actor_system.hpp>

namespace credence::wallet {

namespace {

using router_handle = wallet_handle::extend<
  caf::reacts_to<wants_out<profile_id>>, caf::reacts_to<child_gone<profile_id>>, caf::reacts_to<sweep>>;
struct state_type : router_state<profile_id, wallet_entity, router_handle> {
  static inline const char* name = "wallets";
};
using self_pointer = router_handle::stateful_pointer<state_type>;

router_handle::behavior_type behave(self_pointer self, const std::shared_ptr<const context>& with) {
  self->state.start(self,
                    {.kind = ops::actor_kind::wallet,
                     .live_max = with->limits.live_profiles_max,
                     .waiting_max = static_cast<std::int32_t>(with->limits.waiting_per_profile_max),
                     .when_full = failure::too_many,
                     .idle_stop = with->limits.idle_stop,
                     .writes = true,
                     .storage = with->storage.status},
                    with->storage.writer, [self, with](profile_id id, const bystanders&) {
                      return spawn_wallet(self->system(), id, with, wallet_supervisor{self});
                    });
  return {
    [self](const ask<get_wallet>& asked) { self->state.kids->forward(asked->profile, asked); },
    [self](const ask<move_funds>& asked) { self->state.kids->forward(asked->profile, asked); },
    [self](const ask<get_transfer>& asked) { self->state.kids->forward(asked->profile, asked); },
    [self](const ask<market::place_trade>& asked) { self->state.kids->forward(asked->trader, asked); },
    [self](const ask<market::open_market>& asked) { self->state.kids->forward(asked->owner, asked); },
    [self](const ask<market::get_trade>& asked) { self->state.kids->forward(asked->trader, asked); },
    // A wallet does not stop before what it has set aside is back.
    [self](const trade_landed& what) { self->state.kids->tell_before_it_stops(what.asked->trader, what); },
    [self](const opening_landed& what) { self->state.kids->tell_before_it_stops(what.asked->owner, what); },
    [self](const donation_landed& what) { self->state.kids->tell_if_live(what.owner, what); },
    [self](may_be_behind<profile_id> who) { self->state.kids->refresh(who.id); },
    [self](wants_out<profile_id> who) { self->state.kids->on_wants_out(who.id); },
    [self](const child_gone<profile_id>& who) { self->state.kids->on_gone(who); },
    [self](sweep) { self->state.on_sweep(self); },
  };
}

} // namespace

wallet_handle spawn_wallet_router(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::wallet
