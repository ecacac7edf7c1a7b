// What holds when all is over: what clients were told is compared with what is stored.
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "tests/simulation/clients.hpp"

#include <algorithm>

namespace credence::test {

namespace {

project::get_voters all_voters() {
  project::get_voters question;
  question.in.kind = project::scope_kind::global;
  question.slice = {100, 0};
  return question;
}

} // namespace

void clients::look_at_profiles() {
  const auto in = world_.open_period();
  for (int i = 1; i <= world::live_profiles; ++i) {
    auto& op = begin("profile " + std::to_string(i));
    op.judge = [&op](envelope_base&) { op.outcome = told::yes; };
    put(&directory::profiles, profile::get_balance{profile_id{i}, std::nullopt, {in.year, in.number}}, op);
  }
}

void clients::compare_votes_of(int voter) {
  for (const auto& in : world_.database().now().periods) {
    auto& op = begin("votes of profile " + std::to_string(voter) + " in period " + std::to_string(in.id.value));
    op.judge = [this, &op, voter, in](envelope_base& answered) {
      op.outcome = told::yes;
      const auto* view = answer_in<profile::get_balance>(answered);
      const auto there = votes_of(voter, in.id, false);
      if (!view || static_cast<std::size_t>(view->balance.bullish_cast + view->balance.bearish_cast) != there)
        world_.violation(op.text + " are not the " + std::to_string(there) + " that are stored");
    };
    put(&directory::profiles, profile::get_balance{profile_id{voter}, std::nullopt, {in.year, in.number}}, op);
  }
}

/// A receipt tells what both have in memory, without a look at what is stored.
void clients::compare_xp_of(int sender, int receiver) {
  const auto& xp = world_.database().now().xp;
  if (xp.at(profile_id{sender}) == 0)
    return;
  auto& one = tips_.emplace_back(
    attempted_tip{{profile_id{sender}, profile_id{receiver}, 1, "one" + std::to_string(sender), std::nullopt}});
  auto& op = begin(*one.tip.message);
  op.judge = [this, &op, &one, &xp](envelope_base& answered) {
    judge_tip(one, as<profile::send_tip>(answered));
    op.outcome = told::yes;
    const auto* receipt = answer_in<profile::send_tip>(answered);
    if (!receipt || receipt->sender_balance != xp.at(one.tip.sender)
        || receipt->receiver_balance != xp.at(one.tip.receiver))
      world_.violation("profiles " + std::to_string(one.tip.sender.value) + " and "
                       + std::to_string(one.tip.receiver.value) + " do not know what XP is stored for them");
  };
  put(&directory::profiles, one.tip, op);
  world_.pass_time(std::chrono::milliseconds{100});
}

void clients::compare_profiles() {
  for (int i = 1; i <= world::live_profiles; ++i)
    compare_votes_of(i);
  world_.pass_time(std::chrono::milliseconds{100});
  for (int i = 1; i <= world::live_profiles; ++i)
    compare_xp_of(i, i % world::live_profiles + 1);
}

void clients::converge() {
  for (int round = 0; round < 20; ++round) {
    bool open = false;
    for (auto& each : attempts_) {
      if (each.outcome != told::unknown)
        continue;
      if (stored_in_a_closed_period(each)) { // the client sees it there; a retry would be another vote
        each.outcome = told::yes;
        continue;
      }
      open = true;
      vote(each);
    }
    if (!open || world_.violated())
      return;
    world_.pass_time(timeout);
  }
  world_.violation("unknown votes do not converge");
}

void clients::compare_periods() {
  if (world_.database().now().periods.size() > 1 + advances_) // none ends by the database's clock
    world_.violation("a period was opened that nobody asked for");
}

void clients::compare() {
  compare_tips();
  spend_everything();
  compare_tips();
  for (const auto& each : attempts_) {
    const auto times = times_stored(each);
    if (each.outcome == told::yes && times != 1)
      world_.violation(each.reason + " was acknowledged and is stored " + std::to_string(times) + " times");
    if (each.outcome == told::no && times != 0)
      world_.violation(each.reason + " was refused and is stored");
  }
  for (int project = 1; project <= world::projects; ++project) {
    auto& op = begin("all voters of project " + std::to_string(project));
    op.judge = [this, &op, project](envelope_base& answered) {
      op.outcome = told::yes;
      const auto* page = answer_in<project::get_voters>(answered);
      if (!page)
        return world_.violation(op.text + " gave no answer after the faults ended");
      const auto all = stored(project).size();
      judge_voters(op, project, *page);
      judge_prefix(op, project, all, static_cast<std::size_t>(page->totals.bullish_votes + page->totals.bearish_votes));
    };
    auto question = all_voters();
    question.project = project_id{project};
    put(&directory::projects, std::move(question), op);
  }
  await_answers();
  expect_every_answer();
}

} // namespace credence::test
