#pragma once

#include "actors/context.hpp"
#include "actors/directory.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/news/news_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/credential_slot.hpp"
#include "actors/score/score_types.hpp"

#include <memory>
#include <vector>

/// The actors that every process of the service has, wired in one way: for `serve`, for tests, for the simulation.
namespace credence {

struct store;

/// What actors publish, to be read from any thread. It must outlive them.
struct published_state {
  people::people_index people;
  profile::credential_registry credentials;
  listing::project_index projects;
  period::published_calendar calendar;
};

/// Makes `with`, `all` and `known` know of each other and spawns everything that a directory names, but for who checks
/// signatures. `with` holds the settings; every actor gets its own part of `stored`, who works out scores of `scored`.
/// `sources` are the actors that fetch posts; none where no source is set up. `scoring` says how scores are worked out.
void spawn_all(caf::actor_system& sys, const std::shared_ptr<context>& with, const store& stored, const store& scored,
               published_state& known, directory& all, const std::vector<news::post_reader_handle>& sources = {},
               score::score_options scoring = {});

struct named_actor {
  const char* name;
  actor_ref who;
};
/// The actors of a directory that are there, those first that others need.
std::vector<named_actor> actors_of(const directory& all);
/// Tells them to end, the last one first.
void stop_all(const directory& all);

} // namespace credence
