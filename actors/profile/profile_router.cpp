#include "actors/directory.hpp"
#include "actors/kernel/router.hpp"
#include "actors/profile/profile_entity.hpp"

#include <caf/actor_system.hpp>

namespace credence::profile {

namespace {

using router_handle = profile_handle::extend<
  caf::reacts_to<wants_out<profile_id>>, caf::reacts_to<child_gone<profile_id>>, caf::reacts_to<sweep>>;
struct state_type : router_state<profile_id, profile_entity, router_handle> {
  static inline const char* name = "profiles";
};
using self_pointer = router_handle::stateful_pointer<state_type>;

router_handle::behavior_type behave(self_pointer self, const std::shared_ptr<const context>& with) {
  self->state.start(self,
                    {.kind = ops::actor_kind::profile,
                     .live_max = with->limits.live_profiles_max,
                     .waiting_max = static_cast<std::int32_t>(with->limits.waiting_per_profile_max),
                     .when_full = failure::too_many,
                     .idle_stop = with->limits.idle_stop,
                     .writes = true,
                     .storage = with->storage.status},
                    with->storage.writer, [self, with](profile_id id, const bystanders& receivers) {
                      return spawn_profile(self->system(), id, with, profile_supervisor{self}, receivers);
                    });
  self->state.after_loss = [with, me = profile_handle{self}](profile_id lost, const std::vector<profile_id>& receivers) {
    if (receivers.empty())
      return;
    with->people->touch(lost);
    for (const auto receiver : receivers) {
      with->people->touch(receiver);
      caf::anon_send(me, may_be_behind<profile_id>{receiver});
    }
    caf::anon_send(with->others->market_lists, market::xp_in_doubt{});
  };
  const auto forward = [self](const auto& asked) { self->state.kids->forward(asked->profile, asked); };
  return {
    [forward](const ask<get_balance>& asked) { forward(asked); },
    [forward](const ask<get_own_votes>& asked) { forward(asked); },
    [self](const vote_landed& what) { self->state.kids->tell(what.asked->voter, what); },
    [self](const ask<send_tip>& asked) { self->state.kids->forward(asked->sender, asked); },
    [forward](const ask<get_tips>& asked) { forward(asked); },
    [forward](const ask<get_tip_figures>& asked) { forward(asked); },
    [forward](const ask<get_receipt>& asked) { forward(asked); },
    [self](const tip_landed& what) { self->state.kids->tell(what.asked->receiver, what); },
    [self](const ask<create_key>& asked) { self->state.kids->forward(asked->key.profile, asked); },
    [forward](const ask<list_keys>& asked) { forward(asked); },
    [forward](const ask<revoke_key>& asked) { forward(asked); },
    [forward](const ask<check_credential>& asked) { forward(asked); },
    [self](const ask<open_session>& asked) { self->state.kids->forward(asked->opened.profile, asked); },
    [forward](const ask<refresh_session>& asked) { forward(asked); },
    [forward](const ask<end_session>& asked) { forward(asked); },
    [forward](const ask<end_other_sessions>& asked) { forward(asked); },
    [forward](const ask<list_sessions>& asked) { forward(asked); },
    [self](may_be_behind<profile_id> who) { self->state.kids->refresh(who.id); },
    [self](wants_out<profile_id> who) { self->state.kids->on_wants_out(who.id); },
    [self](const child_gone<profile_id>& who) { self->state.kids->on_gone(who); },
    [self](sweep) { self->state.on_sweep(self); },
  };
}

} // namespace

profile_handle spawn_profile_router(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::profile
