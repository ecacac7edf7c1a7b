#include "http/admin/acts.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/json.hpp"
#include "http/admin/logs/line_json.hpp"
#include "http/admin/operations.hpp"
#include "http/call/json_body.hpp"

#include <algorithm>
#include <array>

namespace credence::http::admin {

namespace {

constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warn", "error", "off"};
constexpr std::int64_t logs_minutes_max = 60;
constexpr std::int64_t lines_max = 500;
constexpr std::size_t text_length_max = 100;

void show_level(call& c) {
  const auto& level = c.desk().log_level();
  json_writer to{c.out()};
  to.begin_object();
  to.field("level", level.now());
  to.field("configured", level.configured());
  to.field("until", ms_of(level.until()));
  to.field("by", level.by());
  to.end_object();
  c.reply();
}

void note_and_show(call& c, const std::string& before) {
  c.ask(c.to().acts, act_of(c, "log_level_changed", "log level", before, c.desk().log_level().now()),
        [](call& later, console::kept&) { show_level(later); });
}

} // namespace

void list_log_lines(call& c) {
  parameters given{c.query()};
  ops::line_filter by;
  by.after = given.integer("after", {0, limits::safe_integer_max}).value_or(0);
  by.least = read_level(given).value_or(ops::level::debug);
  by.event = given.text("event").value_or(std::string_view{});
  by.text = given.text("text").value_or(std::string_view{});
  by.limit = static_cast<std::size_t>(given.integer("limit", {1, lines_max}).value_or(200));
  if (by.text.size() > text_length_max || by.event.size() > text_length_max)
    given.issue("event and text must be " + std::to_string(text_length_max) + " characters at most");
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  const auto found = ops::log_lines(by);
  json_writer to{c.out()};
  write_values(
    to, found.lines, [&](const ops::kept_line& line) { write_line(to, line); },
    [&] {
      to.field("next", found.last);
      to.field("dropped", found.dropped);
    });
  c.reply();
}

void get_log_level(call& c) { show_level(c); }

void set_log_level(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto level = body->text("level");
  const auto minutes = body->integer("minutes");
  if (body->good() && (!level || std::find(level_names.begin(), level_names.end(), *level) == level_names.end()))
    body->issue("level must be debug, info, warn, error or off");
  if (body->good() && (!minutes || *minutes < 1 || *minutes > logs_minutes_max))
    body->issue("minutes must be from 1 to " + std::to_string(logs_minutes_max)
                + ": then the configured level returns");
  if (!body->good())
    return c.refuse(body->why());
  const auto before = c.desk().log_level().now();
  c.desk().log_level().set(std::string{*level}, c.operated_by()->name, c.now(), std::chrono::minutes{*minutes});
  note_and_show(c, before);
}

void reset_log_level(call& c) {
  const auto before = c.desk().log_level().now();
  c.desk().log_level().reset();
  note_and_show(c, before);
}

} // namespace credence::http::admin
