#include "http/admin/pulse.hpp"

#include "actors/kernel/writes.hpp"
#include "http/admin/admin_context.hpp"
#include "http/server/server.hpp"

#include <algorithm>
#include <set>

namespace credence::http::admin {

namespace {

constexpr std::size_t beats_lately = 10; // steps
constexpr std::string_view trade_path = "/api/v2/markets/{profileId}/trades";
constexpr std::string_view tip_path = "/api/v2/xp/tip";

void add(ops::histogram::snapshot& to, const ops::histogram::snapshot& more) {
  for (std::size_t i = 0; i < to.buckets.size(); ++i)
    to.buckets[i] += more.buckets[i];
  to.count += more.count;
  to.sum_seconds += more.sum_seconds;
}

double share(std::int64_t more, double seconds) { return seconds > 0 ? static_cast<double>(more) / seconds : 0.0; }

} // namespace

std::optional<double> quantile_ms(const ops::histogram::snapshot& before, const ops::histogram::snapshot& after,
                                  double which) {
  const auto all = after.count - before.count;
  if (all <= 0)
    return std::nullopt;
  const auto wanted = which * static_cast<double>(all);
  const auto& bounds = ops::histogram::bounds_seconds;
  double seen = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto here = static_cast<double>(after.buckets[i] - before.buckets[i]);
    if (here > 0 && seen + here >= wanted) {
      const auto low = i == 0 ? 0.0 : bounds[i - 1];
      return 1000 * (low + (bounds[i] - low) * (wanted - seen) / here);
    }
    seen += here;
  }
  return 1000 * bounds.back();
}

rates between(const counted& before, const counted& after) {
  rates out;
  out.known = true;
  const auto seconds = std::chrono::duration<double>(after.at - before.at).count();
  out.requests = share(after.requests - before.requests, seconds);
  out.errors = share(after.errors - before.errors, seconds);
  out.refusals = share(after.refusals - before.refusals, seconds);
  out.votes = share(after.votes - before.votes, seconds);
  out.trades = share(after.trades - before.trades, seconds);
  out.tips = share(after.tips - before.tips, seconds);
  out.batches = share(after.batches - before.batches, seconds);
  if (after.batches > before.batches)
    out.changes_per_batch = share(after.changes - before.changes, static_cast<double>(after.batches - before.batches));
  out.p50_ms = quantile_ms(before.latency, after.latency, 0.5);
  out.p99_ms = quantile_ms(before.latency, after.latency, 0.99);
  out.commit_p50_ms = quantile_ms(before.commit, after.commit, 0.5);
  out.commit_p99_ms = quantile_ms(before.commit, after.commit, 0.99);
  return out;
}

counted metrics_history::count(steady_time now) const {
  counted out;
  out.at = now;
  out.wall = system_now();
  std::set<const ops::route_metrics*> seen;
  for (const auto& [route, metrics] : context_.over().measured) {
    if (!seen.insert(metrics).second)
      continue;
    for (std::size_t i = 0; i < metrics->status.size(); ++i) {
      const auto answers = metrics->status[i].value();
      out.requests += answers;
      out.errors += i == 5 ? answers : 0;
      out.refusals += i == 4 ? answers : 0;
    }
    const auto latency = metrics->latency.read();
    add(out.latency, latency);
    const bool posted = route->verb == method::post;
    if (posted && metrics->path == trade_path)
      out.trades = metrics->status[2].value();
    if (posted && metrics->path == tip_path)
      out.tips = metrics->status[2].value();
  }
  auto& all = ops::the_metrics();
  out.votes = all.votes.cast_bullish.value() + all.votes.cast_bearish.value();
  out.batches = all.store.batches.value();
  out.changes = all.store.changes.value();
  out.commit = all.store.commit.read();
  if (const auto* storage = context_.with().actors->storage)
    out.queued = storage->queued.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < out.handled.size(); ++i)
    out.handled[i] = all.actors[i].handled.value();
  return out;
}

void metrics_history::tick(steady_time now) {
  if (now < next_)
    return;
  next_ = now + step;
  kept_.push_back(count(now));
  if (kept_.size() > kept_max)
    kept_.pop_front();
}

rates metrics_history::over(std::size_t steps) const {
  if (kept_.size() < 2)
    return {};
  return between(kept_[kept_.size() - 1 - std::min(steps, kept_.size() - 1)], kept_.back());
}

double metrics_history::handled_per_second(std::size_t kind) const {
  if (kept_.size() < 2)
    return 0;
  const auto& before = kept_[kept_.size() - 1 - std::min(beats_lately, kept_.size() - 1)];
  return share(kept_.back().handled[kind] - before.handled[kind],
               std::chrono::duration<double>(kept_.back().at - before.at).count());
}

} // namespace credence::http::admin
