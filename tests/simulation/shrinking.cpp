#include "tests/simulation/simulation.hpp"

namespace credence::test {

namespace {

bool fails(const simulation_plan& plan) { return !simulate(plan).violations.empty(); }

} // namespace

simulation_plan shortest_failure(simulation_plan plan) {
  const auto try_without = [&plan](auto change) {
    auto smaller = plan;
    change(smaller);
    if (fails(smaller))
      plan = smaller;
  };
  try_without([](simulation_plan& p) { p.reads = false; });
  try_without([](simulation_plan& p) { p.trading = false; });
  try_without([](simulation_plan& p) { p.voting = false; });
  try_without([](simulation_plan& p) { p.repeats = false; });
  try_without([](simulation_plan& p) { p.credentials = false; });
  try_without([](simulation_plan& p) { p.slashes = false; });
  try_without([](simulation_plan& p) { p.records = false; });
  try_without([](simulation_plan& p) { p.clock_steps = false; });
  try_without([](simulation_plan& p) { p.restarts = false; });
  try_without([](simulation_plan& p) { p.takeovers = false; });
  try_without([](simulation_plan& p) { p.archiving = false; });
  try_without([](simulation_plan& p) { p.crashes = false; });
  try_without([](simulation_plan& p) { p.outages = false; });
  try_without([](simulation_plan& p) { p.advances = false; });
  try_without([](simulation_plan& p) { p.faults.slow = 0; });
  try_without([](simulation_plan& p) { p.faults.refused = 0; });
  try_without([](simulation_plan& p) { p.faults.read_late = p.faults.read_fails = 0; });
  try_without([](simulation_plan& p) { p.faults.unreachable = 0; });
  try_without([](simulation_plan& p) { p.faults.lost = 0; });
  for (int cut = plan.steps / 2; cut > 0; cut /= 2)
    while (plan.steps > cut) {
      auto smaller = plan;
      smaller.steps -= cut;
      if (!fails(smaller))
        break;
      plan = smaller;
    }
  return plan;
}

std::string describe(const simulation_plan& plan, const simulation_report& report) {
  std::string out =
    "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.steps) + " steps" + (plan.voting ? ", voting" : "")
    + (plan.repeats ? ", repeats" : "") + (plan.credentials ? ", credentials" : "") + (plan.slashes ? ", slashes" : "")
    + (plan.records ? ", records" : "") + (plan.clock_steps ? ", clock steps" : "")
    + (plan.restarts ? ", restarts" : "") + (plan.takeovers ? ", takeovers" : "") + (plan.reads ? ", reads" : "")
    + (plan.trading ? ", trading" : "") + (plan.archiving ? ", archiving" : "") + (plan.crashes ? ", crashes" : "")
    + (plan.outages ? ", outages" : "") + (plan.advances ? ", advances" : "") + "; of 1000: refused "
    + std::to_string(plan.faults.refused) + ", lost " + std::to_string(plan.faults.lost) + ", slow "
    + std::to_string(plan.faults.slow) + ", unreachable " + std::to_string(plan.faults.unreachable) + ", read fails "
    + std::to_string(plan.faults.read_fails) + ", read late " + std::to_string(plan.faults.read_late) + "\n";
  for (const auto& line : report.trace)
    out += line + "\n";
  for (const auto& line : report.violations)
    out += "VIOLATION: " + line + "\n";
  return out;
}

} // namespace credence::test
