#pragma once

#include "tests/simulation/simulated_database.hpp"

#include <string>
#include <vector>

namespace credence::test {

/// What a run does. Everything else follows from the seed.
struct simulation_plan {
  std::uint64_t seed = 1;
  int steps = 700;
  bool crashes = true;  // of actors
  bool outages = true;  // of the database
  bool advances = true; // of the voting period
  bool archiving = true;
  bool reads = true;
  bool trading = true;
  bool voting = true;
  bool repeats = true;     // under a client's key
  bool credentials = true; // are made, used and ended
  bool slashes = true;
  bool records = false;    // reviews, vouches, replies and votes on these, and scores
  bool clock_steps = true; // of the machine's wall clock
  bool restarts = true;    // of the process
  bool takeovers = true;   // by a second process
  fault_rates faults{.refused = 30, .lost = 60, .slow = 30, .unreachable = 200, .read_fails = 60, .read_late = 200};
  planted mistake = planted::nothing;
};

struct simulation_report {
  std::vector<std::string> violations;
  std::vector<std::string> trace;
  int acknowledged = 0;
  int refused = 0;
  int unknown = 0;
  int crashes = 0;
  int tipped = 0;      // and acknowledged
  int traded = 0;      // and acknowledged
  int repeated = 0;    // under a key, and answered
  int credentials = 0; // made
  int slash_votes = 0; // stored before the faults ended
  int closed = 0;      // slashes, likewise
  int records = 0;     // written and acknowledged
  int scores = 0;      // worked out
  int clock_steps = 0;
  int turned_away = 0; // changes, as the clock was wrong
  int restarts = 0;
  int takeovers = 0;
  simulated_database::strays strays;
};

/// Runs the real project, profile, wallet, market, slash, period, people, listing and store actors in one
/// thread on virtual time, over a database that fails as the plan says, with clients that vote,
/// tip, trade, slash and read all the while. The machine's clock jumps. Actors crash, the process is killed and started
/// again, a second one takes over. A model of what each client was told decides what may be seen:
///
/// - an acknowledged vote is committed at that moment, once; a refused one never is, an
///   unknown one at most once;
/// - the balance that comes with it counts what was acknowledged before it was asked for, and itself,
///   and nothing that is not committed, whether the voter is in memory or not;
/// - "already voted" is said only when there is a vote;
/// - a read shows the first so many votes of a project: all that were acknowledged before it
///   began, none that is not committed;
/// - an acknowledged tip is committed at that moment, once, under the number it is known by; a
///   refused one never is; no sender is ever overdrawn, and XP is neither made nor lost;
/// - so with trades, deposits, withdrawals and new markets: nobody spends or sells what they do
///   not have, a market is seen as some trade left it, and not a wei is made or lost;
/// - no trade lands on a market that is frozen; an acknowledged freeze is stored at that moment, and so is its end;
/// - an acknowledged vote on a slash is its voter's ballot at that moment, with the weight that was told; one
///   that is unknown is stored once or never; tallies are the sums of ballots, nothing lands after the end,
///   and what a slash came to follows from its tally and stays;
/// - an acknowledged review, vouch, reply, or vote on one is stored once, under the number that was told, and one that
/// is unknown once
///   or never; every sum is what the records come to, also when they are counted in another order, and in the end every
///   score is what its elements add up to;
/// - no row is stamped far from the database's time, no period opens by a jump of the machine's clock, and
///   while that is known to be wrong nothing is written;
/// - a request that is repeated under a client's key has one effect and one answer; an API key or
///   session is good once it was made, and never again once its end was answered; a nonce counts once;
/// - what stays in memory, of votes, XP and money, is what is stored, though nobody loads it again;
/// - a process that was taken over acknowledges nothing more, and notices;
/// - after the faults end every question is answered, unknown votes converge, and what the
///   actors say is what the database holds.
simulation_report simulate(const simulation_plan& plan);

/// The smallest plan found that still fails.
simulation_plan shortest_failure(simulation_plan plan);

/// How to see it again, and what happened.
std::string describe(const simulation_plan& plan, const simulation_report& report);

} // namespace credence::test
