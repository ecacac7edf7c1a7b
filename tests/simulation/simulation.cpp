#include "tests/simulation/simulation.hpp"

#include "tests/simulation/bearers.hpp"
#include "tests/simulation/clients.hpp"
#include "tests/simulation/record_writers.hpp"
#include "tests/simulation/repeaters.hpp"
#include "tests/simulation/slashers.hpp"
#include "tests/simulation/traders.hpp"

namespace credence::test {

namespace {

/// What a plan may do without, in the order in which a failing one is cut down.
constexpr std::pair<bool simulation_plan::*, const char*> parts_of_plans[]{
  {&simulation_plan::reads, "reads"},
  {&simulation_plan::trading, "trading"},
  {&simulation_plan::voting, "voting"},
  {&simulation_plan::repeats, "repeats"},
  {&simulation_plan::credentials, "credentials"},
  {&simulation_plan::slashes, "slashes"},
  {&simulation_plan::records, "records"},
  {&simulation_plan::clock_steps, "clock steps"},
  {&simulation_plan::restarts, "restarts"},
  {&simulation_plan::takeovers, "takeovers"},
  {&simulation_plan::archiving, "archiving"},
  {&simulation_plan::crashes, "crashes"},
  {&simulation_plan::outages, "outages"},
  {&simulation_plan::advances, "advances"},
};

bool fails(const simulation_plan& plan) { return !simulate(plan).violations.empty(); }

/// One thing happens, whatever the dice say: somebody asks, something fails, time passes, or
/// some actors have a turn.
void one_step(const simulation_plan& plan, world& actors, clients& crowd, traders& market, repeaters& stubborn,
              bearers& holders, slashers& judges, record_writers& authors) {
  auto& chance = actors.chance();
  const auto choice = chance.below(100);
  if (plan.records && choice >= 34 && choice < 75)
    return authors.act();
  if (choice < 14 && plan.voting)
    return crowd.vote();
  if (choice < 20 && plan.reads)
    return crowd.read();
  if (choice >= 96 && plan.repeats)
    return stubborn.act();
  if (choice >= 92)
    return crowd.tip();
  if (choice >= 72 && choice < 76 && plan.credentials)
    return holders.act();
  if (choice >= 69 && plan.trading)
    return market.act();
  if (choice >= 58 && choice < 69 && plan.slashes)
    return judges.act();
  if (choice == 20 && plan.advances)
    return crowd.advance_period();
  if ((choice == 21 || choice == 24 || choice == 25 || choice == 30 || choice == 31) && plan.crashes
      && actors.strikes())
    return actors.crash_somebody();
  if (choice == 22 && plan.outages && chance.chance(300) && actors.strikes())
    return actors.database().crash();
  if (choice == 23 && plan.archiving && chance.chance(200))
    return actors.archive_somebody();
  if (choice == 26 && plan.restarts && chance.chance(150))
    return actors.restart();
  if (choice == 27 && plan.takeovers && chance.chance(150))
    return actors.start_second();
  if (choice == 28 && plan.clock_steps && chance.chance(virtual_time::jumped() ? 500 : 100))
    return actors.step_clock();
  if (choice == 29 && plan.slashes && chance.chance(200))
    return actors.rate_somebody();
  if (choice < 34)
    return actors.advance_clock(std::chrono::milliseconds{1 + chance.below(60)});
  actors.work();
}

} // namespace

simulation_report simulate(const simulation_plan& plan) {
  simulation_report report;
  world actors{plan, report};
  clients crowd{actors, report};
  traders market{actors, report};
  repeaters stubborn{actors, report};
  bearers holders{actors, report};
  slashers judges{actors, report};
  record_writers authors{actors, report};
  actors.when_ended = [&](const process& gone) {
    crowd.lose_all_asked_of(gone);
    market.lose_all_asked_of(gone);
    stubborn.lose_all_asked_of(gone);
    holders.lose_all_asked_of(gone);
    judges.lose_all_asked_of(gone);
    authors.lose_all_asked_of(gone);
  };
  actors.open();
  actors.begin_faults();
  for (int step = 0; step < plan.steps && !actors.violated(); ++step)
    one_step(plan, actors, crowd, market, stubborn, holders, judges, authors);
  for (const auto& [id, each] : actors.database().now().slashes) {
    report.slash_votes += static_cast<int>(each.votes.size());
    report.closed += each.record.closed.has_value();
  }
  actors.heal([&] {
    market.look_at_wallets();
    crowd.look_at_profiles();
  });
  if (!actors.violated())
    market.compare_funds();
  if (!actors.violated())
    crowd.compare_profiles();
  crowd.compare_periods();
  for (auto* each : std::initializer_list<asking*>{&crowd, &market, &stubborn, &holders, &judges, &authors})
    each->expect_every_answer();
  if (!actors.violated())
    stubborn.converge();
  if (!actors.violated())
    stubborn.compare();
  if (!actors.violated())
    holders.compare();
  if (plan.records && !actors.violated())
    authors.compare();
  if (!actors.violated())
    judges.converge();
  if (!actors.violated())
    judges.compare();
  if (!actors.violated())
    crowd.converge();
  if (!actors.violated())
    crowd.compare();
  if (!actors.violated())
    market.compare();
  for (const auto& broken : actors.database().broken_rules())
    report.violations.push_back(broken);
  actors.close();
  report.strays = actors.database().lost_and_found();
  return report;
}

simulation_plan shortest_failure(simulation_plan plan) {
  const auto try_without = [&plan](auto change) {
    auto smaller = plan;
    change(smaller);
    if (fails(smaller))
      plan = smaller;
  };
  for (const auto& [what, name] : parts_of_plans)
    try_without([what = what](simulation_plan& p) { p.*what = false; });
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
  std::string out = "seed " + std::to_string(plan.seed) + ", " + std::to_string(plan.steps) + " steps";
  for (const auto& [what, name] : parts_of_plans)
    out += plan.*what ? std::string{", "} + name : "";
  out += "; of 1000: refused " + std::to_string(plan.faults.refused) + ", lost " + std::to_string(plan.faults.lost)
         + ", slow " + std::to_string(plan.faults.slow) + ", unreachable " + std::to_string(plan.faults.unreachable)
         + ", read fails " + std::to_string(plan.faults.read_fails) + ", read late "
         + std::to_string(plan.faults.read_late) + "\n";
  for (const auto& line : report.trace)
    out += line + "\n";
  for (const auto& line : report.violations)
    out += "VIOLATION: " + line + "\n";
  return out;
}

} // namespace credence::test
