#include "persistence/tidying_actor.hpp"

#include "ops/log.hpp"
#include "ops/metrics.hpp"
#include "persistence/tidying.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace credence::persistence {

/// Time for a round.
struct tidy_up {};

namespace {

using namespace std::chrono_literals;

constexpr auto round_every = 60s;

using tidying_entity = caf::typed_actor<caf::reacts_to<tidy_up>>;

struct tidying_plumbing {
  static inline const char* name = "tidying";
  std::optional<tidying> running;
};

void try_round(tidying& tidying) {
  auto& metrics = ops::the_metrics().store;
  metrics.tidied.add();
  try {
    tidying.round();
  } catch (const database_error& why) {
    metrics.tidy_failures.add();
    ops::log(ops::level::warn, "tidying_failed", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
  }
}

tidying_entity::behavior_type behave(tidying_entity::stateful_pointer<tidying_plumbing> self,
                                     const settings::store& how, const store_status* status, const caf::actor& writer) {
  self->state.running.emplace(how, *status);
  self->monitor(writer);
  self->set_down_handler([self](const caf::down_msg&) { self->quit(); });
  self->delayed_send(self, how.tidy_after, tidy_up{});
  return {[self](tidy_up) {
    try_round(*self->state.running);
    self->delayed_send(self, round_every, tidy_up{});
  }};
}

} // namespace

void spawn_tidying(caf::actor_system& sys, const settings::store& how, const store_status& status,
                   const caf::actor& writer) {
  sys.spawn<caf::detached>(behave, how, &status, writer);
}

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::tidy_up)
