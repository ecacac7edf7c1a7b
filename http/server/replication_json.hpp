#pragma once

#include "http/call/json_writer.hpp"
#include "ops/replication.hpp"

namespace credence::http {

/// How PostgreSQL is replicated, as `/readyz?verbose` and the console tell it. What the server's role may not see is
/// null.
inline void write_replication(json_writer& to, const ops::replication& of) {
  to.begin_object();
  to.field("inRecovery", of.in_recovery);
  to.field("timeline", of.timeline);
  to.field("needed", of.needed);
  to.field("there", of.hidden ? std::nullopt : std::optional{of.there()});
  to.field("hidden", of.hidden);
  to.objects("standbys", of.standbys, [&](const auto& each) {
    const auto seen = [&](auto value) { return of.hidden ? std::nullopt : std::optional{value}; };
    to.field("name", each.name);
    to.field("state", seen(each.state));
    to.field("syncState", seen(each.sync_state));
    to.field("lagBytes", seen(each.lag_bytes));
    to.field("lagSeconds", each.lag_seconds);
  });
  to.end_object();
}

} // namespace credence::http
