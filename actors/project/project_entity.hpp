#pragma once

#include "actors/kernel/children.hpp"
#include "actors/project/project_actor.hpp"

#include <chrono>

namespace credence::project {

/// How often a project that is voted on reports to the board.
inline constexpr std::chrono::milliseconds report_every{200};

/// Time to report tallies to the board, and now and then to the store.
struct report_tallies {};
/// To the router: this project has tallies to report, with those of others a moment from now.
struct report_later {
  project_id id;
};
/// Time to decide pending votes again, after their period closed under them.
struct decide_again {};
/// Time to tell those whose time is up while older votes are being read.
struct end_overdue_reads {};
/// A read that looks at many votes goes on.
struct read_on_now {};

/// The actor of one project, as its router sees it.
using project_entity
  = project_handle::extend<caf::reacts_to<write_outcome>, caf::reacts_to<passivate>,
                           caf::reacts_to<report_tallies>, caf::reacts_to<decide_again>, caf::reacts_to<read_on_now>,
                           caf::reacts_to<end_overdue_reads>>;

/// Who hears that a project cannot go on, or has something to report.
using project_supervisor = caf::typed_actor<caf::reacts_to<wants_out<project_id>>, caf::reacts_to<report_later>>;

/// Spawns the actor that owns one listing's votes; it loads itself from the store. `voters`
/// are those of the votes under way.
project_entity spawn_project(caf::actor_system& sys, project_id id, std::shared_ptr<const context> with,
                             project_supervisor router, bystanders voters);

} // namespace credence::project

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::report_tallies)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::report_later)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::decide_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::read_on_now)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::project::end_overdue_reads)
