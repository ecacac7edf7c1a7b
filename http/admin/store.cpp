#include "actors/kernel/writes.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/acts.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/server/replication_json.hpp"
#include "http/server/server.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace credence::http::admin {

namespace {

constexpr std::size_t store_lately = 60; // steps of the metrics_history
constexpr std::int64_t minutes_max = 60;
constexpr std::int64_t minutes_default = 10;
constexpr std::size_t reason_length_max = 200;

void write_intake(json_writer& to, const intake& of) {
  const auto& now = of.now();
  to.field("open", now.open);
  to.field("since", ms_of(now.since));
  to.field("until", ms_of(now.until));
  to.field("reason", now.reason);
  to.field("by", now.by);
}

void write_verification(json_writer& to, const console::verification& of) {
  static constexpr std::array<std::string_view, 4> states{"running", "done", "stopped", "failed"};
  if (of.number == 0)
    return to.null();
  std::int64_t differences = 0;
  to.begin_object();
  to.field("id", of.number);
  to.field("state", states[static_cast<std::size_t>(of.now)]);
  to.field("startedAt", ms_of(of.started_at));
  to.field("endedAt", ms_of(of.ended_at));
  to.field("by", of.by);
  to.field("part", of.part);
  to.field("share", std::round(of.share * 1000) / 1000);
  to.field("error", of.error.empty() ? std::nullopt : std::optional{of.error});
  to.objects("results", of.results, [&](const auto& each) {
    differences += each.differences;
    to.field("name", each.name);
    to.field("promise", each.promise);
    to.field("differences", each.differences);
    to.array("examples", each.examples, [&](const auto& example) { to.value(example); });
  });
  to.field("differences", differences);
  to.end_object();
}

void write_writer(json_writer& to, const call& c) {
  const auto& metrics = ops::the_metrics().store;
  const auto now = c.admin_context().history().over(store_lately);
  to.field("writable", c.to().storage->writable.load());
  to.field("queued", c.to().storage->queued.load());
  to.field("queueMax", c.admin_context().by().in_force.values.store.queue_max);
  to.field("batches", metrics.batches.value());
  to.field("changes", metrics.changes.value());
  to.field("batchFailures", metrics.batch_failures.value());
  to.field("changesFailed", metrics.changes_failed.value());
  to.field("unknownOutcomes", metrics.unknown_outcomes.value());
  to.field("resolvedStored", metrics.resolved_stored.value());
  to.field("resolvedAbsent", metrics.resolved_absent.value());
  to.field("reconnects", metrics.reconnects.value());
  to.object_or_null("trouble", metrics.trouble.read(), [&](const ops::last_error::told& told) {
    to.field("sqlstate", told.code.empty() ? std::nullopt : std::optional{told.code});
    to.field("error", told.text);
    to.field("at", ms_of(std::chrono::floor<std::chrono::microseconds>(told.at)));
  });
  to.field("commitP50Ms", now.commit_p50_ms);
  to.field("commitP99Ms", now.commit_p99_ms);
  to.object("readsWaiting", [&] {
    to.field("loads", metrics.reads_waiting[0].value());
    to.field("lists", metrics.reads_waiting[1].value());
  });
}

void write_stored(json_writer& to, const console::stored& found) {
  to.objects("shards", found.shards, [&](const auto& each) {
    to.field("shard", each.number);
    to.field("owner", each.owner);
    to.field("epoch", each.epoch);
    to.field("batches", each.batches);
    to.field("lastSequence", each.last_sequence);
    to.field("lastNumber", each.last_number);
  });
  to.object("database", [&] {
    to.field("version", found.server_version);
    to.field("bytes", found.bytes);
  });
  to.objects("tables", found.tables, [&](const auto& each) {
    to.field("name", each.name);
    to.field("rows", each.rows);
    to.field("bytes", each.bytes);
    to.field("indexBytes", each.index_bytes);
  });
  to.objects("migrations", found.migrations, [&](const auto& each) {
    to.field("version", each.version);
    to.field("name", each.name);
    to.field("state", each.state);
  });
}

/// The database does not tell: what is in memory is told nevertheless.
void write_nothing_stored(json_writer& to) {
  for (const json_name name :
       {json_name{"shards"}, json_name{"database"}, json_name{"tables"}, json_name{"migrations"}})
    to.field(name, nullptr);
}

/// An intake that an operator asks for.
struct intake_order {
  bool open = true;
  std::string reason;
  std::chrono::minutes most{minutes_default};
};

intake_order read_intake(call& c) {
  auto& body = c.json();
  const auto open = body.boolean("open");
  const auto reason = body.text("reason");
  const auto minutes = body.integer("minutes").value_or(minutes_default);
  if (body.good() && !open)
    body.issue("open is required: true or false");
  if (body.good() && !*open && (!reason || reason->empty() || characters(*reason) > reason_length_max))
    body.issue("reason must be 1 to " + std::to_string(reason_length_max) + " characters: everybody who looks sees it");
  if (body.good() && (minutes < 1 || minutes > minutes_max))
    body.issue("minutes must be from 1 to " + std::to_string(minutes_max) + ": then the intake opens by itself");
  return {open.value_or(true), std::string{reason.value_or(std::string_view{})}, std::chrono::minutes{minutes}};
}

std::string words_for(const intake& of) { return of.now().open ? "open" : "paused: " + of.now().reason; }

} // namespace

void get_store(call& c) {
  const auto found = co_await c.try_ask(c.to().admin_database, console::read_store{});
  const auto verified = co_await c.ask(c.to().admin_database, console::get_verification{});
  reply_object(c, [&](json_writer& to) {
    to.field("at", ms_of(c.now()));
    if (found && *found)
      write_stored(to, ***found);
    else
      write_nothing_stored(to);
    to.object("writer", [&] { write_writer(to, c); });
    to.key("replication");
    if (const auto seen = ops::the_replication().read())
      write_replication(to, *seen);
    else
      to.null();
    to.object("intake", [&] { write_intake(to, c.admin_context().intake()); });
    to.key("verification");
    write_verification(to, verified);
  });
}

namespace {

/// Where the units of backups and of `credence verify` leave what the node exporter tells (docs/backup.md).
constexpr auto backup_file = "/var/lib/prometheus/node-exporter/credence-backup.prom";
constexpr auto verify_file = "/var/lib/prometheus/node-exporter/credence.prom";

/// The moment that a metric of such a file has; nothing where there is no file, or the server may not read it.
std::optional<timestamp> moment_in_file(const char* file, std::string_view metric) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string name;
    double seconds = 0;
    if (words >> name >> seconds && name == metric && seconds > 0)
      return timestamp{std::chrono::seconds{static_cast<std::int64_t>(seconds)}};
  }
  return std::nullopt;
}

/// The disk with data_dir, as df shows it.
void write_disk(json_writer& to) {
  std::error_code failed;
  const auto disk = std::filesystem::space(ops::the_metrics().data_dir, failed);
  if (failed)
    return to.field("disk", nullptr);
  const auto used = disk.capacity - disk.free;
  to.object("disk", [&] {
    to.field("usedBytes", static_cast<std::int64_t>(used));
    to.field("sizeBytes", static_cast<std::int64_t>(used + disk.available));
  });
}

void write_statements(json_writer& to, const console::activity& found) {
  to.objects("underWay", found.under_way, [&](const auto& each) {
    to.field("pid", each.pid);
    to.field("application", each.application);
    to.field("state", each.state);
    to.field("seconds", each.seconds);
    to.field("waitsFor", each.waits_for);
    to.field("blockedBy", each.blocked_by.empty() ? std::nullopt : std::optional{each.blocked_by});
    to.field("text", each.text);
  });
  to.objects("connections", found.connections, [&](const auto& each) {
    to.field("application", each.application);
    to.field("state", each.state);
    to.field("count", each.count);
  });
}

void write_slow(json_writer& to, const console::activity& found) {
  to.key("slow");
  if (!found.slow)
    return to.null();
  to.objects(*found.slow, [&](const auto& each) {
    to.field("text", each.text);
    to.field("calls", each.calls);
    to.field("rows", each.rows);
    to.field("totalMs", each.total_ms);
    to.field("meanMs", each.mean_ms);
  });
}

} // namespace

void get_activity(call& c) {
  const auto found = co_await c.ask(c.to().admin_database, console::read_activity{});
  const auto verified = co_await c.ask(c.to().admin_database, console::get_verification{});
  auto checked_at = moment_in_file(verify_file, "credence_verify_finished_seconds");
  if (verified.number > 0 && verified.now == console::verification::state::done)
    checked_at = std::max(checked_at, verified.ended_at);
  reply_object(c, [&](json_writer& to) {
    write_statements(to, *found);
    write_slow(to, *found);
    write_disk(to);
    to.field("archivedAt", ms_of(found->archived_at));
    to.field("backupAt", ms_of(moment_in_file(backup_file, "credence_backup_finished_seconds")));
    to.field("verifiedAt", ms_of(checked_at));
  });
}

void set_intake(call& c) {
  auto order = read_intake(c);
  if (c.refuse_mistakes())
    return;
  auto& intake = c.admin_context().intake();
  const auto before = words_for(intake);
  if (order.open)
    intake.open();
  else
    intake.close(std::move(order.reason), c.operated_by()->name, c.now(), order.most);
  c.admin_context().look_at_alerts(steady_clock::now());
  c.ask(c.to().acts, act_of(c, "intake_changed", "intake of writes", before, words_for(intake)),
        [](call& later, console::kept&) {
          reply_object(later, [&](json_writer& to) { write_intake(to, later.admin_context().intake()); });
        });
}

void start_verification(call& c) {
  console::start_verification question{c.operated_by()->name};
  const auto begun = co_await c.ask(c.to().admin_database, std::move(question));
  if (!begun)
    co_return c.error(409, "ALREADY_RUNNING",
                      "a verification runs already; DELETE /admin/api/v1/store/verifications/latest stops it");
  auto act =
    act_of(c, "verification_started", "verification " + std::to_string(begun->number), std::nullopt, "running");
  co_await c.ask(c.to().acts, std::move(act));
  json_writer to{c.out()};
  write_verification(to, *begun);
  c.reply(202);
}

void get_verification(call& c) {
  c.ask(c.to().admin_database, console::get_verification{}, [](call& later, console::verification& found) {
    reply_object(later, [&](json_writer& to) {
      to.key("verification");
      write_verification(to, found);
    });
  });
}

void stop_verification(call& c) {
  const auto found = co_await c.ask(c.to().admin_database, console::get_verification{});
  if (found.number == 0 || found.ended_at)
    co_return c.refuse({refusal_code::not_found, "no verification runs"});
  co_await c.ask(c.to().admin_database, console::stop_verification{});
  auto act = act_of(c, "verification_stopped", "verification " + std::to_string(found.number), "running", "stopped");
  co_await c.ask(c.to().acts, std::move(act));
  reply_ok(c);
}

} // namespace credence::http::admin
