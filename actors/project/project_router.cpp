#include "actors/directory.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_family.hpp"
#include "actors/project/tallies.hpp"

#include <utility>
#include <vector>

namespace credence::project {

namespace {

class project_router : public entity_router<project_router, projects, context> {
public:
  static inline const char* name = "projects";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_projects_max, limits.waiting_per_project_max, failure::overloaded};
  }
  auto spawn(birth<projects, context> born) { return spawn_project(system(), std::move(born)); }

  /// Made-up ids cost no actor and no look-up.
  template <class Q>
  void on(const ask<Q>& question) {
    const auto& known = *with_->projects;
    if (known.complete() && known.status_of(question->project) == listing::project_index::status::unknown)
      return question.answer(
        refusal{refusal_code::project_not_found, "there is no project " + std::to_string(question->project.value)});
    entity_router::on(question);
  }

  /// One timer for all of them: it wakes two threads each time.
  void on(const report_later& who) {
    if (reporting_.empty())
      after(report_every, reports_due{});
    reporting_.push_back(who.id);
  }
  void on(const reports_due&) {
    for (const auto who : std::exchange(reporting_, {}))
      kids().tell_if_live(who, report_tallies{});
  }

  void after_loss(project_id, const std::vector<profile_id>& voters) {
    for (const auto voter : voters)
      send(with_->others->profiles.to(), mark_stale<profile_id>{voter});
  }

private:
  std::vector<project_id> reporting_;
};

} // namespace

project_handle spawn_projects(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<project_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::project
