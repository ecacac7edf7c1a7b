#include "actors/listing/listing_actor.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/project/project_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/admin/json.hpp"
#include "http/admin/page.hpp"
#include "http/admin/records/handlers.hpp"
#include "http/api/projects/project_orders.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::admin {

namespace {

std::string_view word_of(bool archived) { return archived ? "ARCHIVED" : "ACTIVE"; }

void write_row(json_writer& to, const oversight::project_row& row) {
  to.begin_object();
  to.field("projectId", row.id);
  to.field("username", row.username);
  to.field("name", row.name);
  to.field("status", word_of(row.archived));
  to.field("bullish", row.bullish);
  to.field("bearish", row.bearish);
  to.end_object();
}

void reply_project(call& c, const listing::listed& found) {
  const auto& core = *found.core;
  const auto& votes = *found.votes;
  json_writer to{c.out()};
  to.begin_object();
  to.field("projectId", core.id);
  to.field("username", core.user ? core.user->username.value_or("") : std::string{});
  to.field("name", core.user ? core.user->display_name : core.userkey);
  to.field("status", word_of(core.archived));
  to.field("bullish", votes.lifetime.bullish.total);
  to.field("bearish", votes.lifetime.bearish.total);
  to.field("description", core.description.value_or(""));
  to.field("createdAt", ms_of(core.created_at));
  to.field("bullishNow", votes.in_period.bullish.total);
  to.field("bearishNow", votes.in_period.bearish.total);
  to.end_object();
  c.reply();
}

void show(call& c, project_id which) {
  listing::get_listing question;
  question.project = which;
  question.top_voters = 0;
  c.ask(c.to().listings, std::move(question), [](call& later, listing::listed& found) { reply_project(later, found); });
}

void archive(call& c, bool archived) {
  parameters given{c.query()};
  const reputation::archive_project question{given.path_id<project_id>("projectId", c.path_part("projectId")), archived,
                                             read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, question, [](call& later, project_id&) { reply_ok(later); });
}

} // namespace

void get_projects(call& c) {
  parameters given{c.query()};
  oversight::find_projects question{read_query(given), read_limit(given)};
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().oversight, std::move(question), [](call& later, oversight::project_rows& found) {
    json_writer to{later.out()};
    write_values(
      to, found.rows, [&](const oversight::project_row& each) { write_row(to, each); },
      [&] { to.field("total", found.total); });
    later.reply();
  });
}

void get_project(call& c) {
  parameters given{c.query()};
  const auto which = given.path_id<project_id>("projectId", c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  show(c, which);
}

void get_project_chart(call& c) {
  parameters given{c.query()};
  const auto question = v2::read_chart(given, c.path_part("projectId"));
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, question, [](call& later, std::vector<project::chart_point>& points) {
    json_writer to{later.out()};
    write_values(to, points, [&](const project::chart_point& each) {
      to.begin_object();
      to.field("at", ms_of(each.bucket_start));
      to.field("bullish", each.bullish);
      to.field("bearish", each.bearish);
      to.end_object();
    });
    later.reply();
  });
}

/// One that is only tried has nothing to show.
void post_project(call& c) {
  v2::create_project(c, [](call& later, project_id made) { made ? show(later, made) : reply_ok(later); });
}

void post_project_archive(call& c) { archive(c, true); }
void post_project_restore(call& c) { archive(c, false); }

} // namespace credence::http::admin
