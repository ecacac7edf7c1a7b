#include "actors/kernel/writes.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/period/period_state.hpp"
#include "actors/period/period_types.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"
#include "http/server/server.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace credence::http::admin {

inline void write_period(json_writer& to, const period::voting_period& period) {
  to.field("id", period.id);
  to.field("year", period.year);
  to.field("number", period.number);
  to.field("startsAt", ms_of(period.starts_at));
  to.field("endsAt", ms_of(period.ends_at));
  to.field("closedAt", ms_of(period.closed_at));
  to.field("liveProfiles", period.live_profiles);
  to.field("activeProjects", period.active_projects);
}

namespace {

/// What to do about errors of PostgreSQL that say it plainly, by the beginning of their SQLSTATE.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> remedies{{
  {"53100", "Its disk is full: make room there."},
  {"53300", "It takes no more connections: raise max_connections, or end what holds them."},
  {"57P03", "It is starting or stopping: wait for it."},
  {"28", "It refuses the server's role or its password."},
  {"3D", "It has no such database."},
  {"42501", "The server's role lacks a right."},
}};

/// The writer's last error with its SQLSTATE, in the words of PostgreSQL.
std::string last_words() {
  const auto told = ops::the_metrics().store.trouble.read();
  if (!told)
    return {};
  auto out = "The writer's last error, " + iso_text(std::chrono::floor<std::chrono::microseconds>(told->at)) + ": "
             + (told->code.empty() ? "" : told->code + " ") + told->text + ".";
  for (const auto& [code, remedy] : remedies)
    if (told->code.starts_with(code))
      return out.append(" ").append(remedy);
  return out;
}

std::string without_writes(const admin_context& of) {
  const auto* storage = of.with().actors->storage;
  return storage && storage->clock.load() != clock_verdict::good
           ? "The wall clock of this machine is wrong, so nothing is written."
           : last_words();
}

std::string pause_of(admin_context& of) {
  const auto& now = of.intake().now();
  return now.open ? "" : "By " + now.by + ", until " + iso_text(*now.until) + ": " + now.reason;
}

} // namespace

/// What this process knows of an alert that holds, beyond what its number says: the writer's last error, who paused
/// writes and why. Empty where it knows no more.
static std::string detail_of(admin_context& of, std::string_view alert) {
  if (alert == "CredenceCannotWrite")
    return without_writes(of);
  if (alert == "CredenceReadsWithoutLease")
    return last_words();
  if (alert == "CredenceWritesPaused")
    return pause_of(of);
  if (alert == "CredenceStandsStill" && of.with().standing_still)
    return "These stand still: " + of.with().standing_still();
  if (alert == "CredenceLastRunCutOff")
    return "It had begun at " + of.by().cut_off + "; this one began at " + iso_text(of.by().started_at) + ".";
  return {};
}

namespace {

constexpr std::size_t lately = 10; // steps of the metrics_history

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

void write_parts(json_writer& to, const admin_context& of) {
  bool ready = true;
  to.array("parts", [&] {
    const auto part = [&](std::string_view name, bool holds) {
      ready = ready && holds;
      to.object([&] {
        to.field("name", name);
        to.field("ready", holds);
        to.field("meaning", meaning_of(name));
      });
    };
    for (const auto& each : of.with().readiness)
      part(each.name, each.holds());
    part("accepting", !of.over().draining->load(std::memory_order_relaxed));
  });
  to.field("ready", ready);
}

/// Nothing where too little has been counted since the start.
std::optional<double> known(const rates& of, double number) {
  return of.known ? std::optional{rounded(number)} : std::nullopt;
}

void write_traffic(json_writer& to, const admin_context& of, const rates& now) {
  to.object("traffic", [&] {
    to.field("requestsPerSecond", known(now, now.requests));
    to.field("errorsPerSecond", known(now, now.errors));
    to.field("refusalsPerSecond", known(now, now.refusals));
    to.field("p50Ms", rounded(now.p50_ms));
    to.field("p99Ms", rounded(now.p99_ms));
    to.field("inFlight", of.over().in_flight());
    to.field("connections", ops::the_metrics().http.connections.value());
  });
  to.object("activity", [&] {
    to.field("votesPerSecond", known(now, now.votes));
    to.field("tradesPerSecond", known(now, now.trades));
    to.field("tipsPerSecond", known(now, now.tips));
    to.field("votesTotal", of.history().empty() ? 0 : of.history().latest().votes);
  });
}

void write_store(json_writer& to, admin_context& of, const store_status& storage, const rates& now) {
  to.object("store", [&] {
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
  });
}

void write_firing(json_writer& to, admin_context& of) {
  to.objects("firing", of.holding(steady_clock::now()), [&](const auto& each) {
    const auto& alert = *each.which;
    const auto detail = detail_of(of, alert.name);
    to.field("name", alert.name);
    to.field("severity", alert.page ? "page" : "warn");
    to.field("fires", each.fires);
    to.field("firesAfterSeconds", alert.after.count());
    to.field("since", ms_of(std::chrono::floor<std::chrono::microseconds>(each.since)));
    to.field("summary", each.summary);
    to.field("detail", detail.empty() ? std::nullopt : std::optional{detail});
    to.field("action", alert.action);
    to.field("docs", "operating.md#" + ops::section_of(alert));
  });
}

} // namespace

void get_overview(call& c) {
  auto& of = c.admin_context();
  const auto now = of.history().over(lately);
  const auto* calendar = c.to().calendar ? c.to().calendar->get() : nullptr;
  reply_object(c, [&](json_writer& to) {
    to.field("at", ms_of(c.now()));
    to.object("server", [&] {
      to.field("version", CREDENCE_VERSION);
      to.field("startedAt", ms_of(of.by().started_at));
    });
    write_parts(to, of);
    write_traffic(to, of, now);
    write_store(to, of, *c.to().storage, now);
    const auto* period = calendar && !calendar->periods.empty() ? &calendar->current() : nullptr;
    to.object_or_null("period", period, [&](const auto& open) { write_period(to, open); });
    write_firing(to, of);
  });
}

namespace {

constexpr std::int64_t shown_by_default_ms = 5 * 60 * 1000;
constexpr std::size_t series_name_max = 128;

double in_second(std::uint32_t count, const series_point& of) {
  return of.counted_ms == 0 ? 0 : rounded(1000.0 * count / of.counted_ms);
}

std::optional<double> in_ms(std::uint32_t micros) {
  return micros == series_point::unknown ? std::nullopt : std::optional{rounded(micros / 1000.0)};
}

void write_sample(json_writer& to, const series_point& of) {
  to.field("at", std::int64_t{of.at} * 1000);
  to.field("requestsPerSecond", in_second(of.requests, of));
  to.field("errorsPerSecond", in_second(of.errors, of));
  to.field("refusalsPerSecond", in_second(of.refusals, of));
  to.field("limitedPerSecond", in_second(of.limited, of));
  to.field("p50Ms", in_ms(of.p50_us));
  to.field("p99Ms", in_ms(of.p99_us));
  to.field("votesPerSecond", in_second(of.votes, of));
  to.field("tradesPerSecond", in_second(of.trades, of));
  to.field("tipsPerSecond", in_second(of.tips, of));
  to.field("queued", std::int64_t{of.queued});
  to.field("batchesPerSecond", in_second(of.batches, of));
  to.field("changesPerBatch",
           of.batches == 0 ? std::nullopt : std::optional{rounded(static_cast<double>(of.changes) / of.batches)});
  to.field("databaseBytes", of.database_mib == 0 ? std::nullopt : std::optional{std::int64_t{of.database_mib} << 20});
  to.field("commitP50Ms", in_ms(of.commit_p50_us));
  to.field("commitP99Ms", in_ms(of.commit_p99_us));
}

void write_totals(json_writer& to, json_name name, const std::vector<series_total>& all) {
  to.objects(name, all, [&](const auto& each) {
    to.field("name", each.name);
    to.field("requests", each.requests);
    to.field("errors", each.errors);
    to.field("refusals", each.refusals);
    to.field("limited", each.limited);
    to.field("p99Ms", each.p99_us ? std::optional{rounded(static_cast<double>(*each.p99_us) / 1000)} : std::nullopt);
  });
}

void write_marks(json_writer& to, const std::vector<series_mark>& all) {
  to.objects("marks", all, [&](const auto& each) {
    to.field("at", each.at_ms);
    to.field("kind", mark_kind_names[static_cast<std::size_t>(each.kind)]);
    to.field("text", each.words());
  });
}

std::optional<std::string> series_name(parameters& given, std::string_view which) {
  const auto found = given.text(which);
  if (found && found->size() > series_name_max)
    given.issue(std::string{which} + " must be " + std::to_string(series_name_max) + " characters at most");
  return found ? std::optional{std::string{*found}} : std::nullopt;
}

} // namespace

void get_history(call& c) {
  auto& given = c.given();
  const auto now = ms_of(c.now());
  const auto to_ms = given.integer("to", {0, limits::safe_integer_max}).value_or(now);
  const auto from_ms = given.integer("from", {0, limits::safe_integer_max}).value_or(to_ms - shown_by_default_ms);
  series_question question{from_ms / 1000, to_ms / 1000 + 1, series_name(given, "route"), series_name(given, "client")};
  if (given.good() && from_ms >= to_ms)
    given.issue("from must be before to, not " + std::to_string(from_ms) + " and " + std::to_string(to_ms));
  if (question.route && question.client)
    given.issue("route and client cannot be combined: figures are kept by either");
  if (c.refuse_mistakes())
    return;
  const auto& series = c.admin_context().history().series();
  const auto found = series.read(question, now / 1000);
  reply_object(c, [&](json_writer& to) {
    to.field("stepMs", std::chrono::milliseconds{found.step}.count());
    to.objects("values", found.values, [&](const auto& each) { write_sample(to, each); });
    write_totals(to, "routes", found.routes);
    write_totals(to, "clients", found.clients);
    write_marks(to, found.marks);
    to.field("keptBytes", static_cast<std::int64_t>(kept_series::bytes()));
    to.field("outlivesRestarts", series.outlives_process());
  });
}

namespace {

constexpr std::int64_t periods_max = 200;

std::string name_of(const period::voting_period& period) {
  return std::to_string(period.year) + "/" + std::to_string(period.number);
}

std::string advance_setting(const terms& by) {
  for (const auto& each : by.in_force.list)
    if (each.name == "actors.period_advance")
      return each.value;
  return {};
}

void write_advance(call& c, const period::advanced& done, bool dry_run) {
  reply_object(c, [&](json_writer& to) {
    to.field("dryRun", dry_run);
    to.object("closes", [&] { write_period(to, done.closes); });
    to.object("opens", [&] { write_period(to, done.opens.opened); });
    to.field("allocationsCreated", done.opens.allocations_created);
    to.field("totalVotesAllocated", done.opens.total_votes_allocated);
    to.field("usersAffected", done.opens.users_affected);
  });
}

} // namespace

void list_periods(call& c) {
  const auto limit = c.given().integer_or("limit", 50, {1, periods_max});
  const auto* calendar = c.to().calendar->get();
  if (!calendar)
    return c.fail(failure::unavailable);
  const auto& all = calendar->periods;
  reply_object(c, [&](json_writer& to) {
    to.array("values", [&] {
      const auto shown = std::min<std::size_t>(all.size(), static_cast<std::size_t>(limit));
      for (std::size_t i = 0; i < shown; ++i)
        to.object([&] { write_period(to, all[all.size() - 1 - i]); });
    });
    to.field("total", all.size());
    to.field("advance", advance_setting(c.admin_context().by()));
  });
}

/// `confirm` names the period that is closed, so that an advance that somebody else was faster with is not done twice.
void advance_period(call& c) {
  parameters given{c.query()};
  const bool dry_run = read_dry_run(given);
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto* calendar = c.to().calendar->get();
  if (!calendar || calendar->periods.empty())
    return c.fail(failure::unavailable);
  const auto confirm = body->text("confirm");
  if (body->good() && !confirm)
    body->issue("confirm is required: the open period as year/number, such as " + name_of(calendar->current()));
  if (!given.good())
    return c.refuse(given.why());
  if (!body->good())
    return c.refuse(body->why());
  if (*confirm != name_of(calendar->current()))
    return c.refuse({refusal_code::sequence_mismatch,
                     "confirm is " + shown(*confirm) + ", but the open period is " + name_of(calendar->current())});
  c.ask(c.to().periods, period::advance_from{calendar->current().id, dry_run},
        [dry_run](call& later, period::advanced& done) { write_advance(later, done, dry_run); });
}

} // namespace credence::http::admin
