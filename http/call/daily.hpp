#pragma once

#include "http/call/route.hpp"

namespace credence::http {

/// Runs the handler of the call's route once its caller has one of the acts left that the route counts a day
/// (`route::a_day`); else answers 429 `TOO_MANY_RECORDS`. An act that is refused (4xx) is given back when it is
/// answered. A dry run takes none, nor do admins. A handler that alone learns who acts
/// (`idempotency_keeper::by_handler`) takes the act itself.
void run_within_day(call& c);

} // namespace credence::http
