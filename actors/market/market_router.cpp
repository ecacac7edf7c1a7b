#include "actors/directory.hpp"
#include "actors/kernel/router.hpp"
#include "actors/market/market_entity.hpp"

#include <caf/actor_system.hpp>

namespace credence::market {

namespace {

using router_handle = market_handle::extend<
  caf::reacts_to<wants_out<profile_id>>, caf::reacts_to<child_gone<profile_id>>, caf::reacts_to<sweep>>;
struct state_type : router_state<profile_id, market_entity, router_handle> {
  static inline const char* name = "markets";
};
using self_pointer = router_handle::stateful_pointer<state_type>;

router_handle::behavior_type behave(self_pointer self, const std::shared_ptr<const context>& with) {
  self->state.start(self,
                    {.kind = ops::actor_kind::market,
                     .live_max = with->limits.live_markets_max,
                     .waiting_max = static_cast<std::int32_t>(with->limits.waiting_per_market_max),
                     .when_full = failure::overloaded,
                     .idle_stop = with->limits.idle_stop,
                     .writes = true,
                     .storage = with->storage.status},
                    with->storage.writer, [self, with](profile_id id, const bystanders&) {
                      return spawn_market(self->system(), id, with, market_supervisor{self});
                    });
  self->state.after_loss = [with](profile_id lost, const std::vector<profile_id>&) {
    caf::anon_send(with->others->market_lists, trades_in_doubt{lost});
    caf::anon_send(with->others->wallets, may_be_behind<profile_id>{lost}); // it may lack donations
  };
  return {
    [self](const ask<get_market>& asked) { self->state.kids->forward(asked->market, asked); },
    [self](const ask<get_quote>& asked) { self->state.kids->forward(asked->what.market, asked); },
    [self](const ask<get_holders>& asked) { self->state.kids->forward(asked->market, asked); },
    // Bounded where they came from: by the trader's wallet, and among all questions.
    [self](const funded_trade& what) { self->state.kids->tell(what.asked->what.market, what); },
    [self](const funded_opening& what) { self->state.kids->tell(what.asked->owner, what); },
    [self](wants_out<profile_id> who) { self->state.kids->on_wants_out(who.id); },
    [self](const child_gone<profile_id>& who) { self->state.kids->on_gone(who); },
    [self](sweep) { self->state.on_sweep(self); },
  };
}

} // namespace

market_handle spawn_market_router(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::market
