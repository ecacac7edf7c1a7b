#include "actors/period/period_actor.hpp"
#include "actors/period/published_calendar.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "http/api/people/if_live.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/projects/vote_json.hpp"
#include "http/api/replies.hpp"

namespace credence::http::v2 {

namespace {

void cast(call& c, project::cast_vote vote) {
  const auto reply = vote.dry_run ? &reply_tried<project::vote_receipt> : &reply_with<project::vote_receipt>;
  c.ask(c.to().projects, std::move(vote), reply);
}

} // namespace

void vote_on_project(call& c) {
  const auto voter = c.caller()->profile;
  parameters given{c.query()};
  auto vote = read_vote(given, c.path_part("projectId"), c.body(), voter);
  if (!given.good())
    return c.refuse(given.why());
  if_live(c, voter, std::move(vote), &cast);
}

void get_vote_balance(call& c) {
  parameters given{c.query()};
  const auto question = read_balance(given, c.caller()->profile);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().profiles, question, &reply_with<profile::balance_view>);
}

void open_next_voting_period(call& c) {
  c.ask(c.to().periods, period::advance_period{}, &reply_with<period::allocation>);
}

void replay_vote_on_project(call& c, const idempotency::found_record&) {
  parameters given{c.query()};
  const auto vote = read_vote(given, c.path_part("projectId"), c.body(), c.caller()->profile);
  if (!given.good())
    return c.refuse(given.why());
  const auto answer = [side = vote.side](call& later, profile::balance_view& view) {
    project::vote_receipt receipt{side, view.balance};
    reply_with(later, receipt);
  };
  c.ask<profile::get_balance>(c.to().profiles, {vote.voter, vote.project, {}}, answer);
}

void replay_open_next_voting_period(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  const auto* opened = c.to().calendar->get()->find(period_id{static_cast<std::int32_t>(number)});
  if (!opened)
    return c.fail(failure::unavailable); // not read yet
  auto given_out = period::allocation_of(*opened);
  reply_with(c, given_out);
}

void get_vote_totals_of_profiles(call& c) {
  parameters given{c.query()};
  auto question = read_bulk_totals(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, std::move(question), &reply_with<std::vector<project::profile_totals>>);
}

} // namespace credence::http::v2
