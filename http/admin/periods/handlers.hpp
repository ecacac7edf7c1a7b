#pragma once

#include "http/call/call.hpp"

/// Voting periods.
namespace credence::http::admin {

/// GET /admin/api/v1/periods
void get_periods(call& c);
/// POST /admin/api/v1/periods/advance: closes the open one and opens the next; with dryRun=true says what that would do
void post_period_advance(call& c);

} // namespace credence::http::admin
