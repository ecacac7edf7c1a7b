#include "http/admin/overview/conditions.hpp"

#include "actors/chain/follow_types.hpp"
#include "actors/kernel/writes.hpp"
#include "actors/wallets/signing_switch.hpp"
#include "http/admin/desk.hpp"
#include "http/server/server.hpp"
#include "ops/chain_metrics.hpp"

#include <cstdio>

namespace credence::http::admin {

namespace {

constexpr std::size_t minute = 60; // steps of the pulse
constexpr double slow_commit_ms = 100;
constexpr double slow_vote_ms = 250;
constexpr double errors_share_max = 0.01;
constexpr double requests_judged_min = 1; // a second
constexpr std::int64_t reads_waiting_max = 500;
constexpr std::int64_t score_late_max = 600; // seconds
constexpr std::chrono::milliseconds oldest_wait_max{500};

std::string one_digit(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

class gathering {
public:
  gathering(const desk& of, timestamp now) : of_(of), now_(now) {}

  void add(std::string_view name, bool page, std::string summary, std::string_view action) {
    out_.push_back({name, page, std::move(summary), action, of_.beats().since(std::string{name}, now_)});
  }
  void store();
  void traffic();
  void actors();
  void chain();
  std::vector<condition> finish() {
    std::map<std::string, timestamp> holding;
    for (const auto& each : out_)
      holding.emplace(each.name, each.since);
    of_.beats().remember(std::move(holding));
    return std::move(out_);
  }

private:
  const desk& of_;
  const timestamp now_;
  std::vector<condition> out_;
};

void gathering::store() {
  const auto* storage = of_.with().actors->storage;
  if (!storage)
    return;
  if (storage->clock.load() != clock_verdict::good)
    add("CredenceClockWrong", true, "no writes are taken: the wall clock of this machine is wrong",
        "Set the clocks right (a time server); after a true step of more than a day restart the service.");
  else if (!storage->writable.load())
    add("CredenceCannotWrite", true, "no writes are taken: PostgreSQL is away or does not answer",
        "Bring PostgreSQL back. Writes get 503 with Retry-After meanwhile, and nothing acknowledged is lost.");
  if (!storage->may_read())
    add("CredenceReadsWithoutLease", true, "no reads of clients are answered: it is not known whether this process still owns its data",
        "PostgreSQL is away or does not answer, or the machine stands still. It recovers by itself.");
  const auto& metrics = ops::the_metrics().store;
  for (std::size_t lane = 0; lane < metrics.reads_waiting.size(); ++lane)
    if (const auto waiting = metrics.reads_waiting[lane].value(); waiting > reads_waiting_max)
      add("CredenceReadsWait", false,
          std::to_string(waiting) + " reads wait in the lane '" + std::string{ops::read_lane_names[lane]} + "' for a connection to PostgreSQL",
          "Compare the time of reads with what PostgreSQL does; store.readers and store.list_readers are the connections.");
  if (const auto& score = ops::the_metrics().scores; score.waiting.value() > 0 && score.oldest.value() > 0) {
    const auto late = std::chrono::floor<std::chrono::seconds>(now_).time_since_epoch().count() - score.oldest.value();
    if (late > score_late_max)
      add("CredenceScoresBehind", false,
          "scores are " + std::to_string(late) + " seconds behind, for " + std::to_string(score.waiting.value()) + " users",
          "The log says why a score is not worked out; `credence score recompute --check` tells what differs.");
  }
}

void gathering::traffic() {
  const auto lately = of_.beats().over(minute);
  if (lately.requests >= requests_judged_min && lately.errors > errors_share_max * lately.requests)
    add("CredenceServerErrors", true, one_digit(100 * lately.errors / lately.requests) + " % of the answers of the last minute are 5xx",
        "The log has a line with the request id for each; look for the route.");
  if (lately.commit_p99_ms.value_or(0) > slow_commit_ms)
    add("CredenceSlowCommits", false, "a batch takes " + one_digit(*lately.commit_p99_ms) + " ms to commit at p99",
        "A vote is answered after its commit. Look at the disk under PostgreSQL's WAL first.");
  if (lately.votes_p99_ms.value_or(0) > slow_vote_ms)
    add("CredenceSlowVotes", false, "a vote takes " + one_digit(*lately.votes_p99_ms) + " ms at p99",
        "Compare with the time of commits and the store queue.");
}

void gathering::actors() {
  if (const auto& still = of_.with().standing_still)
    if (const auto names = still(); !names.empty())
      add("CredenceStandsStill", true, "these show no sign of life: " + names,
          "systemd restarts the service when WatchdogSec is set; otherwise restart it. What was acknowledged is on disk.");
  const auto& all = ops::the_metrics().actors;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const auto waited = all[i].oldest_wait_ns.value(); all[i].waiting.value() > 0 && waited > std::chrono::nanoseconds{oldest_wait_max}.count())
      add("CredenceActorsBehind", false,
          "questions to actors of the kind " + std::string{ops::actor_kind_names[i]} + " have waited for "
            + one_digit(static_cast<double>(waited) / 1e6) + " ms",
          "The page of actors shows the busiest ones; one that stands out may be reloaded.");
  if (const auto* signing = of_.with().actors->signing; signing && !signing->on())
    add("CredenceWalletSigningOff", false, "managed wallets sign nothing: that was turned off",
        "Turn it on again on the operator listener once the reason is gone.");
}

void gathering::chain() {
  if (!of_.by().in_force.values.chain.on())
    return;
  const auto state = static_cast<chain::follow_state>(ops::the_chain_metrics().state.value());
  if (state == chain::follow_state::halted)
    add("CredenceChainHalted", true, "following the chain has halted", "The page of the chain says why; it needs a decision.");
  if (state == chain::follow_state::unavailable)
    add("CredenceChainUnavailable", false, "no node of the chain answers", "Look at the nodes in chain.endpoints; following goes on by itself.");
}

} // namespace

std::vector<condition> conditions_now(const desk& of, timestamp now) {
  gathering found{of, now};
  found.store();
  found.traffic();
  found.actors();
  found.chain();
  return found.finish();
}

} // namespace credence::http::admin
