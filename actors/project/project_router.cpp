#include "actors/directory.hpp"
#include "actors/kernel/router.hpp"
#include "actors/project/project_entity.hpp"

#include <caf/actor_system.hpp>

#include <utility>
#include <vector>

namespace credence::project {

/// Time for the projects that have something to report.
struct reports_due {};

namespace {

using router_handle = project_handle::extend<
  caf::reacts_to<wants_out<project_id>>, caf::reacts_to<report_later>, caf::reacts_to<reports_due>,
  caf::reacts_to<child_gone<project_id>>, caf::reacts_to<sweep>>;
struct state_type : router_state<project_id, project_entity, router_handle> {
  static inline const char* name = "projects";
  std::vector<project_id> reporting;
};
using self_pointer = router_handle::stateful_pointer<state_type>;

/// One timer for all of them: it wakes two threads each time.
void report_later_with_others(self_pointer self, project_id who) {
  if (self->state.reporting.empty())
    self->delayed_send(self, report_every, reports_due{});
  self->state.reporting.push_back(who);
}

void report_now(self_pointer self) {
  for (const auto who : std::exchange(self->state.reporting, {}))
    self->state.kids->tell_if_live(who, report_tallies{});
}

router_handle::behavior_type behave(self_pointer self, std::shared_ptr<const context> with) {
  self->state.start(self,
                    {.kind = ops::actor_kind::project,
                     .live_max = with->limits.live_projects_max,
                     .waiting_max = static_cast<std::int32_t>(with->limits.waiting_per_project_max),
                     .when_full = failure::overloaded,
                     .idle_stop = with->limits.idle_stop,
                     .writes = true,
                     .storage = with->storage.status},
                    with->storage.writer, [self, with](project_id id, const bystanders& voters) {
                      return spawn_project(self->system(), id, with, project_supervisor{self}, voters);
                    });
  self->state.after_loss = [with](project_id, const std::vector<profile_id>& voters) {
    for (const auto voter : voters)
      caf::anon_send(with->others->profiles, may_be_behind<profile_id>{voter});
  };
  const auto forward = [self, known = with->projects](const auto& asked) {
    // Made-up ids cost no actor and no look-up.
    if (known->complete() && known->standing_of(asked->project) == listing::project_index::standing::unknown)
      return asked.answer(refusal{refusal_code::project_not_found,
                                  "there is no project " + std::to_string(asked->project.value)});
    self->state.kids->forward(asked->project, asked);
  };
  return {
    [forward](const ask<cast_vote>& asked) { forward(asked); },
    [forward](const ask<get_voters>& asked) { forward(asked); },
    [forward](const ask<get_bulk_totals>& asked) { forward(asked); },
    [forward](const ask<get_chart>& asked) { forward(asked); },
    [forward](const ask<get_summary>& asked) { forward(asked); },
    [self](report_later who) { report_later_with_others(self, who.id); },
    [self](reports_due) { report_now(self); },
    [self](wants_out<project_id> who) { self->state.kids->on_wants_out(who.id); },
    [self](const child_gone<project_id>& who) { self->state.kids->on_gone(who); },
    [self](sweep) { self->state.on_sweep(self); },
  };
}

} // namespace

project_handle spawn_project_router(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::project

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::reports_due)
