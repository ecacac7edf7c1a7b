#include "actors/console/admin_database.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/live.hpp"
#include "http/admin/operations.hpp"
#include "http/call/acts.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace credence::http::admin {

namespace {

constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warn", "error", "off"};
constexpr std::int64_t logs_minutes_max = 60;
constexpr std::int64_t lines_max = 500;
constexpr std::size_t text_length_max = 100;

void show_level(call& c) {
  const auto& level = c.admin_context().log_level();
  reply_object(c, [&](json_writer& to) {
    to.field("level", level.now());
    to.field("configured", level.configured());
    to.field("until", ms_of(level.until()));
    to.field("by", level.by());
  });
}

void note_and_show(call& c, const std::string& before) {
  c.ask(c.to().acts, act_of(c, "log_level_changed", "log level", before, c.admin_context().log_level().now()),
        [](call& later, console::kept&) { show_level(later); });
}

} // namespace

void list_log_lines(call& c) {
  auto& given = c.given();
  ops::line_filter by;
  by.after = given.integer("after", {0, limits::safe_integer_max}).value_or(0);
  by.least = read_level(given).value_or(ops::level::debug);
  by.event = given.text("event").value_or(std::string_view{});
  by.text = given.text("text").value_or(std::string_view{});
  by.from_ms = given.integer("from", {0, limits::safe_integer_max}).value_or(by.from_ms);
  by.to_ms = given.integer("to", {0, limits::safe_integer_max}).value_or(by.to_ms);
  if (by.from_ms >= by.to_ms)
    given.issue("from must be before to, not " + std::to_string(by.from_ms) + " and " + std::to_string(by.to_ms));
  by.limit = static_cast<std::size_t>(given.integer("limit", {1, lines_max}).value_or(200));
  if (by.text.size() > text_length_max || by.event.size() > text_length_max)
    given.issue("event and text must be " + std::to_string(text_length_max) + " characters at most");
  const auto found = ops::log_lines(by);
  reply_values(c, found.lines, &write_line, [&](json_writer& to) {
    to.field("next", found.last);
    to.field("dropped", found.dropped);
  });
}

void get_log_level(call& c) { show_level(c); }

void set_log_level(call& c) {
  auto& body = c.json();
  const auto level = body.text("level");
  const auto minutes = body.integer("minutes");
  if (body.good() && (!level || std::find(level_names.begin(), level_names.end(), *level) == level_names.end()))
    body.issue("level must be debug, info, warn, error or off");
  if (body.good() && (!minutes || *minutes < 1 || *minutes > logs_minutes_max))
    body.issue("minutes must be from 1 to " + std::to_string(logs_minutes_max) + ": then the configured level returns");
  if (c.refuse_mistakes())
    return;
  const auto before = c.admin_context().log_level().now();
  c.admin_context().log_level().set(std::string{*level}, c.operated_by()->name, c.now(),
                                    std::chrono::minutes{*minutes});
  note_and_show(c, before);
}

void reset_log_level(call& c) {
  const auto before = c.admin_context().log_level().now();
  c.admin_context().log_level().reset();
  note_and_show(c, before);
}

namespace {

constexpr std::int64_t entries_max = 200;

void write_entry(json_writer& to, const console::audit_entry& entry) {
  to.field("number", entry.number);
  to.field("at", ms_of(entry.at));
  to.field("act", entry.act);
  to.field("profileId", entry.profile);
  to.field("callerId", entry.caller);
  to.field("credential", entry.credential);
  to.field("requestId", entry.request_id);
  to.field("address", entry.address);
  to.field("subject", entry.subject);
  to.field("before", entry.before);
  to.field("after", entry.after);
}

std::optional<std::string> text_in(parameters& given, std::string_view name) {
  const auto found = given.text(name);
  if (found && found->size() > 128)
    given.issue(std::string{name} + " must be 128 characters at most");
  return found ? std::optional{std::string{*found}} : std::nullopt;
}

} // namespace

void list_audit(call& c) {
  auto& given = c.given();
  console::read_audit question;
  question.after_number = given.integer("after", {0, limits::safe_integer_max});
  question.before_number = given.integer("cursor", {1, limits::safe_integer_max});
  question.profile = given.id<profile_id>("profileId");
  question.caller = given.id<profile_id>("callerId");
  question.act = text_in(given, "act");
  question.request_id = text_in(given, "requestId");
  question.credential = text_in(given, "credential");
  question.from = moment_in(given, "from");
  question.to = moment_in(given, "to");
  require_order(given, question.from, question.to);
  if (question.after_number && (question.from || question.to)) // by number and by time at once no index serves
    given.issue("after cannot be combined with from or to");
  question.limit = given.integer_or("limit", 50, {1, entries_max});
  const auto limit = static_cast<std::size_t>(question.limit);
  c.ask(c.to().admin_database, std::move(question), [limit](call& later, std::vector<console::audit_entry>& found) {
    reply_values(later, found, &write_entry, [&](json_writer& to) {
      to.field("next", found.size() < limit ? std::nullopt : std::optional{std::to_string(found.back().number)});
    });
  });
}

namespace {

const settings::description* description_of(const std::string& name) {
  const auto& all = settings::descriptions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace

/// The file is read anew: it says what a restart would start with. Secrets are `***` in both, so that a changed one
/// does not show.
void list_settings(call& c) {
  const auto& by = c.admin_context().by();
  const auto next = by.settings_now();
  std::map<std::string, std::string> later;
  for (const auto& each : next.list)
    later[each.name] = each.value;
  reply_object(c, [&](json_writer& to) {
    to.field("file", by.settings_file.empty() ? std::nullopt : std::optional{by.settings_file});
    to.objects("values", by.in_force.list, [&](const auto& each) {
      const auto* about = description_of(each.name);
      to.field("name", each.name);
      to.field("value", each.value);
      to.field("origin", each.origin);
      to.field("default", about ? about->initial : std::string{});
      to.field("help", about ? about->help : std::string{});
      to.field("secret", about && about->is_secret);
      const auto then = later.find(each.name);
      if (then != later.end() && then->second != each.value)
        to.field("afterRestart", then->second);
    });
    to.array("mistakes", next.mistakes, [&](const auto& each) { to.value(each); });
  });
}

} // namespace credence::http::admin
