#include "http/admin/pulse.hpp"

#include "actors/kernel/writes.hpp"
#include "http/admin/admin_context.hpp"
#include "http/server/server.hpp"
#include "ops/client_counts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace credence::http::admin {

namespace {

constexpr std::size_t beats_lately = 10; // steps
constexpr std::string_view trade_path = "/api/v2/markets/{profileId}/trades";
constexpr std::string_view tip_path = "/api/v2/xp/tip";
const std::string version_mark = " as version ";

void add(ops::histogram::snapshot& to, const ops::histogram::snapshot& more) {
  for (std::size_t i = 0; i < to.buckets.size(); ++i)
    to.buckets[i] += more.buckets[i];
  to.count += more.count;
  to.sum_seconds += more.sum_seconds;
}

ops::histogram::snapshot less(ops::histogram::snapshot from, const ops::histogram::snapshot& taken) {
  for (std::size_t i = 0; i < from.buckets.size(); ++i)
    from.buckets[i] -= taken.buckets[i];
  from.count -= taken.count;
  from.sum_seconds -= taken.sum_seconds;
  return from;
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

metrics_history::metrics_history(const admin_context& of, const std::string& file) : context_(of), series_(file) {
  std::set<const ops::route_metrics*> seen;
  for (const auto& [route, metrics] : of.over().measured)
    if (seen.insert(metrics).second)
      routes_.push_back({metrics,
                         series_.number_of(kept_series::named::route, metrics->method + " " + metrics->path),
                         route->verb == method::post,
                         {},
                         {},
                         {}});
  mark_start();
}

metrics_history::~metrics_history() {
  if (!kept_.empty())
    end_minute(kept_.back());
  series_.mark(system_now(), mark_kind::stop, "The server stopped");
}

/// A start with another version than the one before is a deployment.
void metrics_history::mark_start() {
  const std::string version = CREDENCE_VERSION;
  const auto* started = series_.newest(mark_kind::start);
  const auto* deployed = series_.newest(mark_kind::deployment);
  const auto* last = !started || (deployed && deployed->at_ms > started->at_ms) ? deployed : started;
  const bool same = !last || last->words().find(version_mark + version + " ") != std::string_view::npos
                    || last->words().ends_with(version_mark + version);
  const auto& cut_off = context_.by().cut_off;
  series_.mark(system_now(), same ? mark_kind::start : mark_kind::deployment,
               "The server started" + version_mark + version
                 + (cut_off.empty() ? "" : " after a run that was cut off, of " + cut_off));
}

void metrics_history::note_act(std::string_view text) { series_.mark(system_now(), mark_kind::act, text); }

void metrics_history::note(const std::vector<ops::holding_alert>& holding) {
  std::vector<const ops::alert*> now;
  for (const auto& each : holding) {
    if (!each.fires)
      continue;
    now.push_back(each.which);
    if (std::find(held_.begin(), held_.end(), each.which) == held_.end())
      series_.mark(system_now(), mark_kind::alert, std::string{each.which->name} + ": " + each.summary);
  }
  for (const auto* each : held_)
    if (std::find(now.begin(), now.end(), each) == now.end())
      series_.mark(system_now(), mark_kind::alert_over, std::string{each->name} + " is over");
  held_ = std::move(now);
}

void metrics_history::count_routes(counted& to) {
  for (auto& each : routes_) {
    const auto& status = each.metrics->status;
    answers now;
    for (std::size_t i = 0; i < status.size(); ++i)
      now.requests += status[i].value();
    now.errors = status[5].value();
    now.refusals = status[4].value();
    each.this_second = {};
    if (now.requests != each.seen.requests) { // without new requests its latencies have not changed
      now.latency = each.metrics->latency.read();
      each.this_second = {now.requests - each.seen.requests, now.errors - each.seen.errors,
                          now.refusals - each.seen.refusals, less(now.latency, each.seen.latency)};
      each.this_minute.requests += each.this_second.requests;
      each.this_minute.errors += each.this_second.errors;
      each.this_minute.refusals += each.this_second.refusals;
      add(each.this_minute.latency, each.this_second.latency);
      each.seen = now;
    }
    to.requests += each.seen.requests;
    to.errors += each.seen.errors;
    to.refusals += each.seen.refusals;
    add(to.latency, each.seen.latency);
    if (each.posts && each.metrics->path == trade_path)
      to.trades = status[2].value();
    if (each.posts && each.metrics->path == tip_path)
      to.tips = status[2].value();
  }
}

void metrics_history::count_clients() {
  ops::the_traffic_by_client().each([this](std::string_view name, const ops::client_traffic& of) {
    const asked now{of.requests.value(), of.server_errors.value(), of.client_errors.value(), of.rate_limited.value()};
    if (now.requests == 0)
      return;
    auto found = clients_.find(name);
    if (found == clients_.end()) {
      found = clients_.try_emplace(std::string{name}).first;
      found->second.number = series_.number_of(kept_series::named::client, name);
    }
    auto& client = found->second;
    const auto& seen = client.seen;
    client.this_second = {now.requests - seen.requests, now.errors - seen.errors, now.refusals - seen.refusals,
                          now.limited - seen.limited};
    client.this_minute.requests += client.this_second.requests;
    client.this_minute.errors += client.this_second.errors;
    client.this_minute.refusals += client.this_second.refusals;
    client.this_minute.limited += client.this_second.limited;
    client.seen = now;
  });
}

counted metrics_history::count(steady_time now) {
  counted out;
  out.at = now;
  out.wall = system_now();
  count_routes(out);
  count_clients();
  auto& all = ops::the_metrics();
  for (const auto& each : all.http.rate_limited)
    out.limited += each.value();
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

namespace {

/// The busiest of them, as many as there is room for.
template <std::size_t N>
void keep_busiest(std::array<series_part, N>& to, std::vector<series_part>& all) {
  const auto kept = std::min(N, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    [](const series_part& a, const series_part& b) { return a.requests > b.requests; });
  std::copy_n(all.begin(), kept, to.begin());
}

std::uint32_t short_of(std::int64_t count) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, series_point::unknown - 1));
}

std::uint32_t micros(const std::optional<double>& ms) {
  return ms ? short_of(static_cast<std::int64_t>(*ms * 1000)) : series_point::unknown;
}

std::uint32_t second_of(timestamp wall) {
  return short_of(std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count());
}

std::uint32_t minute_of(timestamp wall) { return second_of(wall) / 60 * 60; }

} // namespace

series_point metrics_history::point(const counted& before, const counted& after, answers measured_route::*of_route,
                                    asked measured_client::*of_client) const {
  series_point out;
  out.counted_ms = short_of(std::chrono::round<std::chrono::milliseconds>(after.at - before.at).count());
  out.requests = short_of(after.requests - before.requests);
  out.errors = short_of(after.errors - before.errors);
  out.refusals = short_of(after.refusals - before.refusals);
  out.limited = short_of(after.limited - before.limited);
  out.votes = short_of(after.votes - before.votes);
  out.trades = short_of(after.trades - before.trades);
  out.tips = short_of(after.tips - before.tips);
  out.batches = short_of(after.batches - before.batches);
  out.changes = short_of(after.changes - before.changes);
  out.queued = short_of(after.queued);
  out.database_mib = short_of(ops::the_metrics().database.bytes.value() >> 20);
  out.p50_us = micros(quantile_ms(before.latency, after.latency, 0.5));
  out.p99_us = micros(quantile_ms(before.latency, after.latency, 0.99));
  out.commit_p50_us = micros(quantile_ms(before.commit, after.commit, 0.5));
  out.commit_p99_us = micros(quantile_ms(before.commit, after.commit, 0.99));
  std::vector<series_part> parts;
  for (const auto& each : routes_)
    if (const auto& of = each.*of_route; of.requests > 0 && each.number > 0)
      parts.push_back({each.number, short_of(of.requests), short_of(of.errors), short_of(of.refusals),
                       micros(quantile_ms({}, of.latency, 0.99))});
  keep_busiest(out.routes, parts);
  parts.clear();
  for (const auto& [name, each] : clients_)
    if (const auto& of = each.*of_client; of.requests > 0 && each.number > 0)
      parts.push_back(
        {each.number, short_of(of.requests), short_of(of.errors), short_of(of.refusals), short_of(of.limited)});
  keep_busiest(out.clients, parts);
  return out;
}

void metrics_history::end_minute(const counted& at) {
  if (minute_began_) {
    auto whole = point(*minute_began_, at, &measured_route::this_minute, &measured_client::this_minute);
    whole.at = minute_of(minute_began_->wall);
    whole.queued = std::max(whole.queued, minute_queued_);
    series_.add_minute(whole);
  }
  for (auto& each : routes_)
    each.this_minute = {};
  for (auto& [name, each] : clients_)
    each.this_minute = {};
  minute_began_ = at;
  minute_queued_ = 0;
}

void metrics_history::tick(steady_time now) {
  if (now < next_)
    return;
  next_ = now - next_ > step ? now + step : next_ + step; // in time with the seconds, unless it was held up
  kept_.push_back(count(now));
  const auto& latest = kept_.back();
  if (kept_.size() > 1) {
    const auto& before = kept_[kept_.size() - 2];
    auto second = point(before, latest, &measured_route::this_second, &measured_client::this_second);
    second.at = second_of(before.wall);
    minute_queued_ = std::max(minute_queued_, second.queued);
    series_.add_second(second);
  }
  if (!minute_began_ || minute_of(latest.wall) != minute_of(minute_began_->wall))
    end_minute(latest);
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
