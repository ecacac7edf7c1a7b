#pragma once

#include "actors/kernel/entity_actor.hpp"
#include "actors/kernel/fair_mutex.hpp"
#include "actors/project/project_actor.hpp"

namespace credence::project {

/// Time to report tallies to the board, and now and then to the store.
struct report_tallies {};
/// To the router: this project has tallies to report, with those of others a moment from now.
struct report_later {
  project_id id;
};
/// Time for the projects that have something to report.
struct reports_due {};
/// Time to decide pending votes again, after their period closed under them.
struct decide_again {};
/// Time to tell those whose time is up while older votes are being read.
struct end_overdue_reads {};
/// A read that looks at many votes goes on. Such reads of all projects take turns: while many projects ranked their
/// voters at once, votes waited behind a piece of each.
struct read_on_now {
  fair_mutex::guard_ptr turn;
};

struct projects {
  static constexpr auto kind = ops::actor_kind::project;
  using storage = project::storage;
  using id = project_id;
  using handle = project_handle;
  using questions = project_handle;
  using to_one = types<report_tallies, decide_again, read_on_now, end_overdue_reads>;
  using to_router = types<report_later, reports_due>;
};

/// Spawns the actor that owns one listing's votes.
entity_handle<projects> spawn_project(caf::actor_system& sys, birth<projects, context> born);

} // namespace credence::project
