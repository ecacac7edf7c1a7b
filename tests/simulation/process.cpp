#include "tests/simulation/process.hpp"

#include "persistence/writer/batch_writer.hpp"

namespace credence::test {

using namespace std::chrono_literals;

process::process(caf::actor_system& sys, simulated_database& on, const process_rules& how) : now_(how.now) {
  status_.writable = false;
  settings_.reconnect_delay_max = 200ms;
  storage_ = {persistence::spawn_writer_here(sys, settings_, status_, on.sessions(gone_), {how.wall, how.set_ahead}),
              on.spawn_reader(sys, status_), &status_};
  auto with = std::make_shared<context>();
  with->now = how.now;
  with->trading = how.trading;
  with->limits.live_projects_max = how.live_projects;
  with->limits.live_profiles_max = how.live_profiles;
  with->limits.idle_stop = 700ms;
  with->limits.period_advance = "monthly"; // clients advance it all the same
  spawn_all(sys, with, storage_, storage_, known_, others_);
}

void process::stop_all_but_the_writer() {
  stop_all(others_);
  tell_to_end(storage_.reader);
}

void process::stop() {
  stop_all_but_the_writer();
  tell_to_end(storage_.writer);
  storage_ = {};
}

void process::kill() {
  gone_ = true;
  stop_all_but_the_writer();
  credence::kill(storage_.writer); // it does not wait for the database
  storage_ = {};
}

} // namespace credence::test
