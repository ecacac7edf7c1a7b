#include "http/v2/handlers.hpp"
#include "http/v2/questions.hpp"
#include "http/v2/replies.hpp"
#include "http/v2/vote_json.hpp"

namespace credence::http::v2 {

namespace {

refusal not_live(profile_id who) {
  return {refusal_code::profile_not_live,
          "profile " + std::to_string(who.value) + " is archived or does not exist; only live profiles vote"};
}

void cast(call& c, project::cast_vote vote) {
  c.ask(c.to().projects, std::move(vote), &reply_with<project::vote_receipt>);
}

/// Somebody whom memory does not know, such as a profile made a moment ago.
void on_checked(call& c, bool& live) {
  auto vote = std::any_cast<project::cast_vote>(std::move(c.kept()));
  if (!live)
    return c.refuse(not_live(vote.voter));
  cast(c, std::move(vote));
}

} // namespace

void post_project_vote(call& c) {
  using standing = people::people_index::standing;
  const auto voter = c.caller()->profile;
  parameters given{c.query()};
  auto vote = read_vote(given, c.path_part("projectId"), c.body(), voter);
  if (!given.good())
    return c.refuse(given.why());
  switch (c.to().people_known->standing_of(voter)) {
  case standing::live:
    return cast(c, std::move(vote));
  case standing::archived:
    return c.refuse(not_live(voter));
  case standing::unknown:
    break;
  }
  c.kept() = std::move(vote);
  c.ask(c.to().people, people::check_live{voter}, &on_checked);
}

void get_vote_balance(call& c) {
  parameters given{c.query()};
  const auto question = read_balance(given, c.caller()->profile);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().profiles, question, &reply_with<profile::balance_view>);
}

void post_reallocate(call& c) {
  c.ask(c.to().periods, period::advance_period{}, &reply_with<period::allocation>);
}

void again_post_project_vote(call& c, const idempotency::found_record&) {
  parameters given{c.query()};
  const auto vote = read_vote(given, c.path_part("projectId"), c.body(), c.caller()->profile);
  if (!given.good())
    return c.refuse(given.why());
  c.kept() = vote.side;
  c.ask<profile::get_balance>(c.to().profiles, {vote.voter, vote.project, {}}, [](call& later, profile::balance_view& view) {
    project::vote_receipt receipt{std::any_cast<project::sentiment>(later.kept()), view.balance};
    reply_with(later, receipt);
  });
}

void again_post_reallocate(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  const auto* opened = c.to().calendar->get()->find(period_id{static_cast<std::int32_t>(number)});
  if (!opened)
    return c.fail(failure::unavailable); // not read yet
  auto given_out = period::allocation_of(*opened);
  reply_with(c, given_out);
}

void get_bulk_totals(call& c) {
  parameters given{c.query()};
  auto question = read_bulk_totals(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, std::move(question), &reply_with<std::vector<project::profile_totals>>);
}

} // namespace credence::http::v2
