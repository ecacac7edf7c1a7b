#include "actors/listing/listing_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "config/list_limits.hpp"
#include "http/api/projects/listing_json.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/project_orders.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"

#include <algorithm>

namespace credence::http::v2 {

void list_projects(call& c) {
  parameters given{c.query()};
  const auto question = read_projects(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().listings, question,
        [](call& later, listing::projects_page& found) { reply_with_users(later, projects_answer{std::move(found)}); });
}

void list_suggested_projects(call& c) {
  parameters given{c.query()};
  const auto most = given.integer_or("limit", limits::suggested_projects_default, {0, limits::limit_max});
  if (!given.good())
    return c.refuse(given.why());
  listing::get_projects question;
  question.slice = {limits::limit_max, 0};
  c.ask(c.to().listings, std::move(question), [most](call& later, listing::projects_page& found) {
    auto& all = found.projects;
    std::stable_partition(all.begin(), all.end(), [](const listing::listed& each) { return each.core->is_promoted; });
    if (all.size() > static_cast<std::size_t>(most))
      all.resize(static_cast<std::size_t>(most));
    reply_with_users(later, suggested_answer{{std::move(found)}});
  });
}

void get_project(call& c) {
  parameters given{c.query()};
  listing::get_listing question;
  question.project = given.path_id<project_id>("projectId", c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().listings, std::move(question),
        [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); });
}

void get_project_by_username(call& c) {
  listing::get_listing question;
  question.username = std::string{c.path_part("username")};
  const auto name = shown(question.username);
  c.ask(
    c.to().listings, std::move(question),
    [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); },
    [name](call& later, const refusal&) {
      later.refuse({refusal_code::project_not_found, "there is no project of the user " + name});
    });
}

void get_project_details(call& c) {
  parameters given{c.query()};
  auto question = read_listing(given, {});
  question.project = given.path_id<project_id>("projectId", c.path_part("projectId"));
  if (!given.good())
    co_return c.refuse(given.why());
  listing_answer answer;
  answer.in = question.in;
  auto found = co_await c.ask(c.to().listings, std::move(question));
  answer.found = std::move(found);
  if (c.caller()) {
    const profile::get_balance own{c.caller()->profile, answer.found.core->id, answer.in};
    const auto balance = co_await c.outcome_of(c.to().profiles, own);
    if (balance)
      answer.own = *balance;
  }
  reply_with_users(c, details_answer{std::move(answer)});
}

void list_project_team(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<project_id>("projectId", c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, reputation::get_team{id},
        [](call& later, reputation::project_team& found) { reply_with_users(later, team_answer{std::move(found)}); });
}

} // namespace credence::http::v2
