#include "actors/kernel/writes.hpp"
#include "actors/period/published_calendar.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/overview/conditions.hpp"
#include "http/admin/periods/period_json.hpp"
#include "http/server/server.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace credence::http::admin {

namespace {

constexpr std::size_t lately = 10; // steps of the pulse

/// What each check of /readyz is about.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> meanings{{
  {"store", "the writer can write, and the database has answered within two seconds"},
  {"lease", "the server knows that it still owns its data"},
  {"clock", "the wall clock is right"},
  {"calendar", "the voting periods have been read"},
  {"people", "the people have been read"},
  {"listings", "the projects have been read"},
  {"provider_keys", "the keys of the identity provider have been asked for"},
  {"chain", "the chain is followed"},
  {"accepting", "the server is not stopping"},
}};

std::string_view meaning_of(std::string_view name) {
  const auto found =
    std::find_if(meanings.begin(), meanings.end(), [name](const auto& each) { return each.first == name; });
  return found == meanings.end() ? std::string_view{} : found->second;
}

/// Enough digits for people.
double rounded(double number) { return std::round(number * 1000) / 1000; }
std::optional<double> rounded(const std::optional<double>& number) {
  return number ? std::optional{rounded(*number)} : std::nullopt;
}

void write_parts(json_writer& to, const desk& of) {
  bool ready = true;
  to.key("parts");
  to.begin_array();
  const auto part = [&](std::string_view name, bool holds) {
    ready = ready && holds;
    to.begin_object();
    to.field("name", name);
    to.field("ready", holds);
    to.field("meaning", meaning_of(name));
    to.end_object();
  };
  for (const auto& each : of.with().readiness)
    part(each.name, each.holds());
  part("accepting", !of.over().draining->load(std::memory_order_relaxed));
  to.end_array();
  to.field("ready", ready);
}

/// Nothing where too little has been counted since the start.
std::optional<double> known(const rates& of, double number) {
  return of.known ? std::optional{rounded(number)} : std::nullopt;
}

void write_traffic(json_writer& to, const desk& of, const rates& now) {
  to.key("traffic");
  to.begin_object();
  to.field("requestsPerSecond", known(now, now.requests));
  to.field("errorsPerSecond", known(now, now.errors));
  to.field("refusalsPerSecond", known(now, now.refusals));
  to.field("p50Ms", rounded(now.p50_ms));
  to.field("p99Ms", rounded(now.p99_ms));
  to.field("inFlight", of.over().in_flight());
  to.field("connections", ops::the_metrics().http.connections.value());
  to.end_object();
  to.key("activity");
  to.begin_object();
  to.field("votesPerSecond", known(now, now.votes));
  to.field("tradesPerSecond", known(now, now.trades));
  to.field("tipsPerSecond", known(now, now.tips));
  to.field("votesTotal", of.beats().empty() ? 0 : of.beats().latest().votes);
  to.end_object();
}

void write_store(json_writer& to, desk& of, const store_status& storage, const rates& now) {
  to.key("store");
  to.begin_object();
  to.field("writable", storage.writable.load());
  to.field("intakeOpen", of.intake().now().open);
  to.field("queued", storage.queued.load());
  to.field("batchesPerSecond", known(now, now.batches));
  to.field("changesPerBatch", rounded(now.changes_per_batch));
  to.field("flushP50Ms", rounded(now.commit_p50_ms));
  to.field("flushP99Ms", rounded(now.commit_p99_ms));
  to.field("leaseAgeMs", std::chrono::floor<std::chrono::milliseconds>(storage.lease_age()).count());
  to.field("clockGood", storage.clock.load() == clock_verdict::good);
  to.field("clockDifferenceUs", storage.clock_difference_us.load());
  to.end_object();
}

void write_firing(json_writer& to, desk& of) {
  to.key("firing");
  to.begin_array();
  for (const auto& each : of.holding()) {
    const auto& alert = *each.which;
    const auto detail = detail_of(of, alert.name);
    to.begin_object();
    to.field("name", alert.name);
    to.field("severity", alert.page ? "page" : "warn");
    to.field("fires", each.fires);
    to.field("firesAfterSeconds", alert.after.count());
    to.field("since", ms_of(std::chrono::floor<std::chrono::microseconds>(each.since)));
    to.field("summary", each.summary);
    to.field("detail", detail.empty() ? std::nullopt : std::optional{detail});
    to.field("action", alert.action);
    to.field("docs", "operating.md#" + ops::section_of(alert));
    to.end_object();
  }
  to.end_array();
}

} // namespace

void get_overview(call& c) {
  auto& of = c.desk();
  const auto now = of.beats().over(lately);
  json_writer to{c.out()};
  to.begin_object();
  to.field("at", ms_of(c.now()));
  to.key("server");
  to.begin_object();
  to.field("version", CREDENCE_VERSION);
  to.field("startedAt", ms_of(of.by().started_at));
  to.end_object();
  write_parts(to, of);
  write_traffic(to, of, now);
  write_store(to, of, *c.to().storage, now);
  to.key("period");
  const auto* calendar = c.to().calendar ? c.to().calendar->get() : nullptr;
  if (calendar && !calendar->periods.empty())
    write_period(to, calendar->current());
  else
    to.null();
  write_firing(to, of);
  to.end_object();
  c.reply();
}

void get_history(call& c) {
  const auto& kept = c.desk().beats().kept();
  json_writer to{c.out()};
  to.begin_object();
  to.field("stepMs", std::chrono::milliseconds{pulse::step}.count());
  to.key("values");
  to.begin_array();
  for (std::size_t i = 1; i < kept.size(); ++i) {
    const auto then = between(kept[i - 1], kept[i]);
    to.begin_object();
    to.field("at", ms_of(kept[i].wall));
    to.field("requestsPerSecond", rounded(then.requests));
    to.field("errorsPerSecond", rounded(then.errors));
    to.field("p50Ms", rounded(then.p50_ms));
    to.field("p99Ms", rounded(then.p99_ms));
    to.field("votesPerSecond", rounded(then.votes));
    to.field("tradesPerSecond", rounded(then.trades));
    to.field("tipsPerSecond", rounded(then.tips));
    to.field("queued", kept[i].queued);
    to.end_object();
  }
  to.end_array();
  to.end_object();
  c.reply();
}

} // namespace credence::http::admin
