#include "actors/period/period_actor.hpp"
#include "http/admin/desk.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/periods/period_json.hpp"
#include "http/call/json_body.hpp"
#include "http/call/record_body.hpp"

#include <algorithm>

namespace credence::http::admin {

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
  json_writer to{c.out()};
  to.begin_object();
  to.field("dryRun", dry_run);
  to.key("closes");
  write_period(to, done.closes);
  to.key("opens");
  write_period(to, done.opens.opened);
  to.field("allocationsCreated", done.opens.allocations_created);
  to.field("totalVotesAllocated", done.opens.total_votes_allocated);
  to.field("usersAffected", done.opens.users_affected);
  to.end_object();
  c.reply();
}

} // namespace

void list_periods(call& c) {
  parameters given{c.query()};
  const auto limit = given.integer_or("limit", 50, {1, periods_max});
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  const auto* calendar = c.to().calendar->get();
  if (!calendar)
    return c.fail(failure::unavailable);
  const auto& all = calendar->periods;
  json_writer to{c.out()};
  to.begin_object();
  to.key("values");
  to.begin_array();
  const auto shown = std::min<std::size_t>(all.size(), static_cast<std::size_t>(limit));
  for (std::size_t i = 0; i < shown; ++i)
    write_period(to, all[all.size() - 1 - i]);
  to.end_array();
  to.field("total", all.size());
  to.field("advance", advance_setting(c.desk().by()));
  to.end_object();
  c.reply();
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
