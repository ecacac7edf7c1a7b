// credence_load: asks one HTTP/1.1 server as fast as it answers, or on a fixed schedule.
// Its own CPU time counts in the measurement, so it renders ahead, parses only what it
// must, and reads the clock once for each answer.
#include "ops/load/worker.hpp"

#include <csignal>
#include <memory>
#include <thread>
#include <vector>

namespace credence::load {
namespace {

int run(const options& with) {
  std::signal(SIGPIPE, SIG_IGN);
  const request_maker maker{with};
  dispenser numbers{with, maker};
  std::vector<std::unique_ptr<worker>> workers;
  for (unsigned i = 0; i < with.threads; ++i)
    workers.push_back(std::make_unique<worker>(with, maker, numbers, i));
  const auto start = clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < with.threads; ++i)
    threads.emplace_back([&, i] { workers[i]->run(start); });
  workers[0]->run(start);
  for (auto& each : threads)
    each.join();
  tally all;
  auto phases = workers[0]->plan.seconds;
  for (const auto& each : workers) {
    all.add(each->counted);
    for (std::size_t i = 0; each != workers[0] && i < phases.size(); ++i)
      for (std::size_t second = 0; second < phases[i].size(); ++second)
        phases[i][second].add(each->plan.seconds[i][second]);
  }
  print(all, phases, with, numbers);
  return all.requests_total > 0 ? 0 : 1;
}

} // namespace
} // namespace credence::load

int main(int argc, char** argv) { return credence::load::run(credence::load::read_options({argv + 1, argv + argc})); }
