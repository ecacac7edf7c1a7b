#include "http/call/daily.hpp"

#include "actors/idempotency/idempotency_actor.hpp"

namespace credence::http {

void run_within_day(call& c) {
  const auto& route = c.of_route();
  const bool by_handler =
    route.idempotency_by == idempotency_keeper::by_handler; // whoever signed does it, not whoever calls
  if (!is_counted(route.a_day) || by_handler || !c.caller() || c.caller()->admin || runs_dry(route, c.query()))
    return route.run(c);
  const auto whose = c.caller()->profile;
  c.ask<idempotency::take_daily>(c.to().idempotency, {whose, route.a_day},
                                 [whose](call& later, idempotency::daily_taken&) {
                                   later.took(whose, later.of_route().a_day);
                                   later.of_route().run(later);
                                 });
}

} // namespace credence::http
