#include "http/api/projects/projects.hpp"

#include "actors/period/period_actor.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "http/api/people/people.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

#include <cinttypes>
#include <cstdio>

namespace credence::http {

namespace {

std::string_view vote_type(profile::sentiment side) {
  return side == profile::sentiment::bullish ? "BULLISH" : "BEARISH";
}

void encode_user_vote(json_writer& to, profile::sentiment side) {
  to.begin_object();
  to.field("voteType", vote_type(side));
  to.end_object();
}

void encode_reasons(json_writer& to, const std::vector<project::reason_count>& reasons) {
  to.objects(reasons, [&](const auto& each) {
    to.field("voteReason", each.reason);
    to.field("totalVotes", each.votes);
  });
}

void encode_entry(json_writer& to, const project::voter_entry& entry, user_cards& users) {
  to.begin_object();
  to.key("user");
  if (!users.write(to, entry.voter))
    to.null();
  to.field("bullishCount", entry.bullish);
  to.field("bearishCount", entry.bearish);
  to.field("totalVotes", entry.bullish + entry.bearish);
  to.field("firstVoteAt", entry.first_vote_at);
  to.field("lastVoteAt", entry.last_vote_at);
  to.key("bullishReasons");
  encode_reasons(to, entry.bullish_reasons);
  to.key("bearishReasons");
  encode_reasons(to, entry.bearish_reasons);
  to.end_object();
}

} // namespace

void encode_members(json_writer& to, const profile::vote_balance& balance) {
  to.field("bullishVotesCast", balance.bullish_cast);
  to.field("bearishVotesCast", balance.bearish_cast);
  to.field("allocationResetDate", balance.reset_at);
  to.field("canVote", balance.can_vote);
}

void encode_members(json_writer& to, const project::vote_receipt& receipt) {
  to.field("success", true);
  to.field("message", receipt.side == project::sentiment::bullish ? "Your bullish vote has been cast."
                                                                  : "Your bearish vote has been cast.");
  if (receipt.new_balance) {
    to.field("newBalance", *receipt.new_balance);
  }
  to.key("userVote");
  encode_user_vote(to, receipt.side);
}

void encode_members(json_writer& to, const profile::balance_view& view) {
  to.field("balance", view.balance);
  to.key("userVote");
  if (view.vote)
    encode_user_vote(to, *view.vote);
  else
    to.null();
}

void encode_members(json_writer& to, const period::allocation& allocation) {
  char message[160];
  std::snprintf(message, sizeof message,
                "Voting period %" PRId32 " of %" PRId32 " is open: %" PRId64 " profiles may vote again.",
                allocation.opened.number, allocation.opened.year, allocation.users_affected);
  to.field("allocationsCreated", allocation.allocations_created);
  to.field("totalVotesAllocated", allocation.total_votes_allocated);
  to.field("usersAffected", allocation.users_affected);
  to.field("message", message);
}

void encode_members(json_writer& to, const std::vector<project::profile_totals>& totals) {
  for (const auto& each : totals) {
    to.key(each.voter.value);
    to.begin_object();
    to.field("totalBullishVotes", each.bullish);
    to.field("totalBearishVotes", each.bearish);
    to.key("bullishReasons");
    encode_reasons(to, each.bullish_reasons);
    to.key("bearishReasons");
    encode_reasons(to, each.bearish_reasons);
    to.end_object();
  }
}

void encode(json_writer& to, const std::vector<project::chart_point>& points) {
  to.objects(points, [&](const auto& each) {
    to.field("timeBucket", each.bucket_start);
    to.field("totalBullishVotes", each.total_bullish);
    to.field("totalBearishVotes", each.total_bearish);
    to.field("bullishVotes", each.bullish);
    to.field("bearishVotes", each.bearish);
    to.field("uniqueVoters", each.unique_voters);
  });
}

void encode_members(json_writer& to, const voters_answer& answer, user_cards& users) {
  encode_page_members(to, answer.found.entries, answer.found.total, answer.slice,
                      [&](const auto& each) { encode_entry(to, each, users); });
  const auto& totals = answer.found.totals;
  to.object("totals", [&] {
    to.field("totalVoters", totals.voters);
    to.field("totalBullishVoters", totals.bullish_voters);
    to.field("totalBearishVoters", totals.bearish_voters);
    to.field("totalBullishVotes", totals.bullish_votes);
    to.field("totalBearishVotes", totals.bearish_votes);
  });
}

namespace v2 {

void vote_on_project(call& c) {
  const auto voter = c.caller()->profile;
  auto vote = read_vote(c.given(), c.path_part("projectId"), c.body(), voter);
  if_live(c, voter, std::move(vote), &write_by<&directory::projects>);
}

void get_vote_balance(call& c) {
  const auto question = read_balance(c.given(), c.caller()->profile);
  c.ask(c.to().profiles, question, &reply_with<profile::balance_view>);
}

void open_next_voting_period(call& c) {
  const bool dry_run = read_dry_run(c.given());
  c.ask(c.to().periods, period::advance_period{dry_run},
        dry_run ? &reply_tried<period::allocation> : &reply_with<period::allocation>);
}

void replay_vote_on_project(call& c, const idempotency::found_record&) {
  const auto vote = read_vote(c.given(), c.path_part("projectId"), c.body(), c.caller()->profile);
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
  auto question = read_bulk_totals(c.given());
  c.ask(c.to().projects, std::move(question), &reply_with<std::vector<project::profile_totals>>);
}

void list_project_voters(call& c) {
  const auto question = read_voters(c.given(), c.path_part("projectId"));
  c.ask(c.to().projects, question, [slice = question.slice](call& later, project::voters_page& found) {
    reply_with_users(later, voters_answer{std::move(found), slice});
  });
}

void get_vote_chart(call& c) {
  const auto question = read_chart(c.given(), c.path_part("projectId"));
  c.ask(c.to().projects, question, &reply_with<std::vector<project::chart_point>>);
}

} // namespace v2

} // namespace credence::http
