#pragma once

#include "actors/period/period_types.hpp"
#include "http/admin/json.hpp"

namespace credence::http::admin {

inline void write_period(json_writer& to, const period::voting_period& period) {
  to.begin_object();
  to.field("id", period.id);
  to.field("year", period.year);
  to.field("number", period.number);
  to.field("startsAt", ms_of(period.starts_at));
  to.field("endsAt", ms_of(period.ends_at));
  to.field("closedAt", ms_of(period.closed_at));
  to.field("liveProfiles", period.live_profiles);
  to.field("activeProjects", period.active_projects);
  to.end_object();
}

} // namespace credence::http::admin
