#include "tests/simulation/process.hpp"

#include "persistence/writer_actor.hpp"

#include <caf/send.hpp>

namespace credence::test {

using namespace std::chrono_literals;

process::process(caf::actor_system& sys, simulated_database& on, const process_rules& how) : now_(how.now) {
  status_.writable = false;
  settings_.reconnect_delay_max = 200ms;
  storage_ = {persistence::spawn_writer_here(sys, settings_, status_, on.sessions(gone_), {how.wall, how.set_ahead}), on.spawn_reader(sys, status_),
              &status_};
  auto with = std::make_shared<context>();
  with->storage = storage_;
  with->people = &people_;
  with->credentials = &credentials_;
  with->projects = &projects_;
  with->calendar = &calendar_;
  with->others = &others_;
  with->now = how.now;
  with->trading = how.trading;
  with->limits.live_projects_max = how.live_projects;
  with->limits.live_profiles_max = how.live_profiles;
  with->limits.idle_stop = 700ms;
  with->limits.period_advance = "monthly"; // clients advance it all the same
  others_.people = people::spawn_people(sys, with, people_);
  others_.periods = period::spawn_period(sys, with, calendar_);
  others_.profiles = profile::spawn_profile_router(sys, with);
  others_.wallets = wallet::spawn_wallet_router(sys, with);
  others_.markets = market::spawn_market_router(sys, with);
  others_.market_lists = market::spawn_market_board(sys, with);
  others_.projects = project::spawn_project_router(sys, with);
  others_.listings = listing::spawn_listings(sys, with, projects_);
  others_.idempotency = idempotency::spawn_idempotency(sys, with);
  others_.slashes = slash::spawn_slashes(sys, with);
}

void process::stop_all_but_the_writer() {
  for (const auto& actor :
       {caf::actor_cast<caf::actor>(others_.listings), caf::actor_cast<caf::actor>(others_.projects),
        caf::actor_cast<caf::actor>(others_.profiles), caf::actor_cast<caf::actor>(others_.periods),
        caf::actor_cast<caf::actor>(others_.markets), caf::actor_cast<caf::actor>(others_.market_lists),
        caf::actor_cast<caf::actor>(others_.wallets), caf::actor_cast<caf::actor>(others_.people),
        caf::actor_cast<caf::actor>(others_.idempotency), caf::actor_cast<caf::actor>(others_.slashes),
        caf::actor_cast<caf::actor>(storage_.reader)})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void process::stop() {
  stop_all_but_the_writer();
  caf::anon_send_exit(storage_.writer, caf::exit_reason::user_shutdown);
  storage_ = {};
}

void process::kill() {
  gone_ = true;
  stop_all_but_the_writer();
  caf::anon_send_exit(storage_.writer, caf::exit_reason::kill); // it does not wait for the database
  storage_ = {};
}

} // namespace credence::test
