#include "http/api/projects/vote_json.hpp"

#include "http/call/page_json.hpp"

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
  to.begin_array();
  for (const auto& each : reasons) {
    to.begin_object();
    to.field("voteReason", each.reason);
    to.field("totalVotes", each.votes);
    to.end_object();
  }
  to.end_array();
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

void encode(json_writer& to, const profile::vote_balance& balance) {
  to.begin_object();
  to.field("bullishVotesCast", balance.bullish_cast);
  to.field("bearishVotesCast", balance.bearish_cast);
  to.field("allocationResetDate", balance.reset_at);
  to.field("canVote", balance.can_vote);
  to.end_object();
}

void encode(json_writer& to, const project::vote_receipt& receipt) {
  to.begin_object();
  to.field("success", true);
  to.field("message", receipt.side == project::sentiment::bullish ? "Your bullish vote has been cast."
                                                                  : "Your bearish vote has been cast.");
  if (receipt.new_balance) {
    to.key("newBalance");
    encode(to, *receipt.new_balance);
  }
  to.key("userVote");
  encode_user_vote(to, receipt.side);
  to.end_object();
}

void encode(json_writer& to, const profile::balance_view& view) {
  to.begin_object();
  to.key("balance");
  encode(to, view.balance);
  to.key("userVote");
  if (view.vote)
    encode_user_vote(to, *view.vote);
  else
    to.null();
  to.end_object();
}

void encode(json_writer& to, const period::allocation& allocation) {
  char message[160];
  std::snprintf(message, sizeof message,
                "Voting period %" PRId32 " of %" PRId32 " is open: %" PRId64 " profiles may vote again.",
                allocation.opened.number, allocation.opened.year, allocation.users_affected);
  to.begin_object();
  to.field("allocationsCreated", allocation.allocations_created);
  to.field("totalVotesAllocated", allocation.total_votes_allocated);
  to.field("usersAffected", allocation.users_affected);
  to.field("message", message);
  to.end_object();
}

void encode(json_writer& to, const std::vector<project::profile_totals>& totals) {
  to.begin_object();
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
  to.end_object();
}

void encode(json_writer& to, const std::vector<project::chart_point>& points) {
  to.begin_array();
  for (const auto& each : points) {
    to.begin_object();
    to.field("timeBucket", each.bucket_start);
    to.field("totalBullishVotes", each.total_bullish);
    to.field("totalBearishVotes", each.total_bearish);
    to.field("bullishVotes", each.bullish);
    to.field("bearishVotes", each.bearish);
    to.field("uniqueVoters", each.unique_voters);
    to.end_object();
  }
  to.end_array();
}

void encode(json_writer& to, const voters_answer& answer, user_cards& users) {
  to.begin_object();
  encode_page(to, answer.found.entries, answer.found.total, answer.slice,
              [&](const auto& each) { encode_entry(to, each, users); });
  const auto& totals = answer.found.totals;
  to.key("totals");
  to.begin_object();
  to.field("totalVoters", totals.voters);
  to.field("totalBullishVoters", totals.bullish_voters);
  to.field("totalBearishVoters", totals.bearish_voters);
  to.field("totalBullishVotes", totals.bullish_votes);
  to.field("totalBearishVotes", totals.bearish_votes);
  to.end_object();
  to.end_object();
}

} // namespace credence::http
