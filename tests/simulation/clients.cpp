#include "tests/simulation/clients.hpp"

#include "actors/listing/listing_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"

namespace credence::test {

namespace {

std::string counted(std::size_t votes) { return std::to_string(votes) + " votes"; }

template <class Q>
Q about_all_votes() {
  Q question;
  question.in.kind = project::scope_kind::global;
  return question;
}

project::get_voters all_voters() {
  auto question = about_all_votes<project::get_voters>();
  question.slice = {100, 0};
  return question;
}

} // namespace

// -- what is stored -------------------------------------------------------------------------

const std::vector<simulated_database::cast>& clients::stored(int project) const {
  return world_.database().now().votes.at(project_id{project});
}

std::size_t clients::times_stored(const attempted_vote& vote) const {
  const auto& votes = stored(vote.project);
  return static_cast<std::size_t>(
    std::count_if(votes.begin(), votes.end(), [&](const auto& each) { return each.reason == vote.reason; }));
}

/// How many votes of the project are stored up to and including the last acknowledged one.
std::size_t clients::acknowledged_prefix(int project) const {
  const auto& votes = stored(project);
  std::size_t prefix = 0;
  for (std::size_t i = 0; i < votes.size(); ++i)
    if (acknowledged_.contains(*votes[i].reason))
      prefix = i + 1;
  return prefix;
}

std::size_t clients::votes_of(int voter, period_id in, bool only_acknowledged) const {
  std::size_t count = 0;
  for (const auto& [project, votes] : world_.database().now().votes)
    for (const auto& each : votes)
      count +=
        each.voter.value == voter && each.in == in && (!only_acknowledged || acknowledged_.contains(*each.reason));
  return count;
}

bool clients::voted(const attempted_vote& vote) const {
  const auto& votes = stored(vote.project);
  return std::any_of(votes.begin(), votes.end(), [&](const auto& each) { return each.voter.value == vote.voter; });
}

bool clients::stored_in_a_closed_period(const attempted_vote& vote) const {
  const auto& votes = stored(vote.project);
  return std::any_of(votes.begin(), votes.end(), [&](const auto& each) {
    return each.reason == vote.reason && each.in != world_.database().now().periods.back().id;
  });
}

// -- writing --------------------------------------------------------------------------------

void clients::vote() {
  const auto voter = some_profile();
  const auto project = some_project();
  const auto side = world_.chance().chance(700) ? project::sentiment::bullish : project::sentiment::bearish;
  vote(attempts_.emplace_back(attempted_vote{voter, project, side, "r" + std::to_string(attempts_.size() + 1)}));
}

void clients::vote(attempted_vote& vote) {
  if (world_.people_known().status_of(profile_id{vote.voter}) == people::people_index::status::archived) {
    // The front turns it away. Whether an earlier try was stored the client sees in its balance.
    vote.outcome = times_stored(vote) == 1 ? told::yes : told::no;
    return;
  }
  vote.outcome = told::nothing;
  auto& op = begin(vote.reason + ": profile " + std::to_string(vote.voter) + " votes on project "
                   + std::to_string(vote.project));
  const auto in = world_.database().now().periods.back().id;
  op.judge = [this, &op, &vote, in, least = votes_of(vote.voter, in, true)](envelope_base& answered) {
    const auto& given = as<project::cast_vote>(answered);
    judge_vote(op, vote, given);
    if (const auto* receipt = given.answer(); receipt && receipt->new_balance)
      judge_balance_after(vote, *receipt->new_balance, in, least);
  };
  put(&directory::projects,
      project::cast_vote{project_id{vote.project}, profile_id{vote.voter}, vote.side, vote.reason}, op);
}

void clients::judge_vote(operation& op, attempted_vote& vote, const envelope<project::cast_vote>& answered) {
  const auto times = times_stored(vote);
  if (answered.answer()) {
    op.outcome = vote.outcome = told::yes;
    ++report_.acknowledged;
    world_.note(vote.reason + ": acknowledged");
    if (times != 1)
      world_.violation(vote.reason + " was acknowledged and is stored " + std::to_string(times) + " times");
    acknowledged_.insert(vote.reason);
  } else if (const auto* why = answered.refused()) {
    // A retry of a vote whose fate was unknown hears that it is there.
    const bool found_it = why->code == refusal_code::already_voted && times == 1;
    op.outcome = vote.outcome = found_it ? told::yes : told::no;
    ++report_.refused;
    world_.note(vote.reason + ": refused, " + why->detail);
    if (found_it)
      acknowledged_.insert(vote.reason);
    else if (why->code == refusal_code::already_voted && !voted(vote))
      world_.violation(vote.reason + " was refused as a second vote, and there is no first");
  } else {
    op.outcome = vote.outcome = told::unknown;
    ++report_.unknown;
    const auto failed_with = *answered.failed();
    world_.note(vote.reason + ": unknown");
    if ((failed_with == failure::overloaded || failed_with == failure::too_many) && times != 0)
      world_.violation(vote.reason + " was turned away for lack of room and is stored");
  }
}

/// `least` votes of this voter in the period `in` were acknowledged before this one was asked for.
void clients::judge_balance_after(const attempted_vote& vote, const profile::vote_balance& shown, period_id in,
                                  std::size_t least) {
  const auto& votes = stored(vote.project);
  const auto itself =
    std::find_if(votes.begin(), votes.end(), [&](const auto& each) { return each.reason == vote.reason; });
  if (itself == votes.end())
    return; // that has been judged
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
  for (const auto& [project, all] : world_.database().now().votes)
    for (const auto& each : all)
      if (each.voter == itself->voter && each.in == itself->in)
        ++(each.side == project::sentiment::bullish ? bullish : bearish);
  const auto least_now = static_cast<std::int64_t>(itself->in == in ? least : 0) + 1;
  if (shown.bullish_cast > bullish || shown.bearish_cast > bearish
      || shown.bullish_cast + shown.bearish_cast < least_now)
    world_.violation(vote.reason + " was acknowledged with a balance of " + std::to_string(shown.bullish_cast) + " and "
                     + std::to_string(shown.bearish_cast) + " votes; stored are " + std::to_string(bullish) + " and "
                     + std::to_string(bearish) + ", and at least " + std::to_string(least_now) + " were due");
}

void clients::advance_period() {
  ++advances_;
  auto& op = begin("advance of the period");
  op.judge = [this, &op](envelope_base& answered) {
    const auto* given = answer_in<period::advance_period>(answered);
    op.outcome = given ? told::yes : told::unknown;
    world_.note(op.text + (given ? ": opened " + std::to_string(given->opened.id.value) : ": unknown"));
    if (given && world_.database().now().periods.back().id < given->opened.id)
      world_.violation("period " + std::to_string(given->opened.id.value) + " was announced and is not stored");
  };
  put(&directory::periods, period::advance_period{}, op);
}

// -- tipping --------------------------------------------------------------------------------

/// How often a tip is stored; with an `id`, under that number.
std::size_t clients::times_stored(const attempted_tip& tip, std::int64_t id) const {
  std::size_t times = 0;
  for (const auto& [number, each] : world_.database().now().tips)
    times += each.message == tip.tip.message && (id == 0 || number == id);
  return times;
}

void clients::tip() {
  const auto sender = profile_id{some_profile()};
  const auto receiver = profile_id{some_profile()};
  const auto amount = static_cast<std::int64_t>(1 + world_.chance().below(200));
  put_tip(tips_.emplace_back(
    attempted_tip{{sender, receiver, amount, "t" + std::to_string(tips_.size() + 1), std::nullopt}}));
}

void clients::put_tip(attempted_tip& attempted) {
  const auto& tip = attempted.tip;
  auto& op = begin(*tip.message + ": profile " + std::to_string(tip.sender.value) + " tips profile "
                   + std::to_string(tip.receiver.value) + " " + std::to_string(tip.amount) + " XP");
  op.judge = [this, &op, &attempted](envelope_base& answered) {
    judge_tip(attempted, as<profile::send_tip>(answered));
    op.outcome = attempted.outcome;
  };
  put(&directory::profiles, tip, op);
}

void clients::judge_tip(attempted_tip& tip, const envelope<profile::send_tip>& answered) {
  const auto& name = *tip.tip.message;
  if (const auto* receipt = answered.answer()) {
    tip.outcome = told::yes;
    ++report_.tipped;
    world_.note(name + ": acknowledged as tip " + std::to_string(receipt->id));
    if (times_stored(tip, receipt->id) != 1 || times_stored(tip, 0) != 1)
      world_.violation(name + " was acknowledged and is not stored once under its number");
    if (receipt->sender_balance < 0 || receipt->receiver_balance < 0)
      world_.violation(name + " was acknowledged with a balance below zero");
  } else if (answered.refused()) {
    tip.outcome = told::no;
    world_.note(name + ": refused");
  } else {
    tip.outcome = told::unknown;
    world_.note(name + ": unknown");
  }
}

void clients::compare_tips() {
  for (const auto& each : tips_) {
    const auto times = times_stored(each, 0);
    if (times > 1 || (each.outcome == told::yes && times != 1) || (each.outcome == told::no && times != 0))
      world_.violation(*each.tip.message + " is stored " + std::to_string(times)
                       + " times, which is not what was told");
  }
  std::int64_t all = 0;
  for (const auto& [who, balance] : world_.database().now().xp)
    all += balance;
  if (all != world::profiles * world::xp_each)
    world_.violation("there are " + std::to_string(all) + " XP where there were "
                     + std::to_string(world::profiles * world::xp_each));
}

/// The next of the first `among` profiles, which takes tips: it is not archived, unless all but the sender are.
profile_id clients::taker_after(int sender, int among) {
  const auto& archived = world_.database().now().archived;
  for (int step = 1; step < among; ++step)
    if (const profile_id next{(sender + step - 1) % among + 1}; !archived.contains(next))
      return next;
  return profile_id{sender};
}

/// Each profile can spend what is stored for it, to the last point, and not one more.
void clients::spend_everything() {
  for (int i = 1; i <= world::profiles; ++i) {
    const profile_id sender{i};
    const auto balance = world_.database().now().xp.at(sender);
    const auto receiver = taker_after(i, world::profiles);
    auto& more =
      tips_.emplace_back(attempted_tip{{sender, receiver, balance + 1, "more" + std::to_string(i), std::nullopt}});
    put_tip(more);
    await_answers();
    auto& all = tips_.emplace_back(attempted_tip{{sender, receiver, balance, "all" + std::to_string(i), std::nullopt}});
    if (balance > 0)
      put_tip(all);
    await_answers();
    if (more.outcome != told::no || (balance > 0 && all.outcome != told::yes))
      return world_.violation("profile " + std::to_string(i) + " cannot spend exactly what is stored for it");
  }
}

// -- reading --------------------------------------------------------------------------------

void clients::read() {
  switch (world_.chance().below(5)) {
    case 0: return read_voters(some_project());
    case 1: return read_totals(some_project());
    case 2: return read_chart(some_project());
    case 3: return read_listing(some_project());
    default: return read_balance();
  }
}

/// Asks for all votes of a project. `judge` says how many of them an answer shows; they must
/// be the first so many.
template <class Door, class Q, class Judge>
void clients::read_all_votes(Door directory::*whom, const char* text, int project, Q question, Judge judge) {
  auto& op = begin(std::string{text} + " of project " + std::to_string(project));
  op.judge = [this, &op, project, judge, least = acknowledged_prefix(project)](envelope_base& answered) {
    const auto* answer = answer_in<Q>(answered);
    op.outcome = answer ? told::yes : told::unknown;
    if (answer)
      judge_prefix(op, project, least, judge(op, *answer));
  };
  question.project = project_id{project};
  put(whom, std::move(question), op);
}

void clients::judge_prefix(const operation& op, int project, std::size_t at_least, std::size_t count) {
  const auto shows = op.text + " shows " + counted(count) + "; ";
  if (count < at_least)
    world_.violation(shows + std::to_string(at_least) + " were acknowledged before it was asked");
  if (count > stored(project).size())
    world_.violation(shows + std::to_string(stored(project).size()) + " are stored");
}

void clients::read_voters(int project) {
  read_all_votes(&directory::projects, "voters", project, all_voters(),
                 [this, project](const operation& op, const project::voters_page& page) {
                   judge_voters(op, project, page);
                   return static_cast<std::size_t>(page.totals.bullish_votes + page.totals.bearish_votes);
                 });
}

void clients::judge_voters(const operation& op, int project, const project::voters_page& page) {
  std::multiset<std::string> shown;
  for (const auto& entry : page.entries)
    for (const auto* reasons : {&entry.bullish_reasons, &entry.bearish_reasons})
      for (const auto& each : *reasons)
        for (auto n = each.votes; n > 0; --n)
          shown.insert(each.reason.value_or(""));
  if (page.totals.bullish_votes + page.totals.bearish_votes != static_cast<std::int64_t>(shown.size()))
    world_.violation(op.text + " has totals that differ from its entries");
  const auto& votes = stored(project);
  std::multiset<std::string> first;
  for (std::size_t i = 0; i < std::min(shown.size(), votes.size()); ++i)
    first.insert(*votes[i].reason);
  if (shown != first)
    world_.violation(op.text + " shows other votes than the first " + std::to_string(shown.size()));
}

void clients::read_totals(int project) {
  auto question = about_all_votes<project::get_bulk_totals>();
  for (int i = 1; i <= world::profiles; ++i)
    question.voters.push_back(profile_id{i});
  read_all_votes(&directory::projects, "bulk totals", project, std::move(question),
                 [](const operation&, const auto& totals) {
                   std::int64_t all = 0;
                   for (const auto& each : totals)
                     all += each.bullish + each.bearish;
                   return static_cast<std::size_t>(all);
                 });
}

void clients::read_chart(int project) {
  read_all_votes(&directory::projects, "chart", project, about_all_votes<project::get_chart>(),
                 [](const operation&, const auto& points) {
                   return points.empty()
                            ? 0
                            : static_cast<std::size_t>(points.back().total_bullish + points.back().total_bearish);
                 });
}

/// As a page of the board shows it.
void clients::read_listing(int project) {
  read_all_votes(
    &directory::listings, "listing", project, listing::get_listing{},
    [](const operation&, const listing::listed& row) { return static_cast<std::size_t>(row.votes->lifetime.total); });
}

void clients::read_balance() {
  const auto voter = some_profile();
  const auto in = world_.open_period();
  auto& op = begin("balance of profile " + std::to_string(voter));
  op.judge = [this, &op, voter, in, least = votes_of(voter, in.id, true)](envelope_base& answered) {
    const auto* view = answer_in<profile::get_balance>(answered);
    op.outcome = view ? told::yes : told::unknown;
    if (!view)
      return;
    const auto count = static_cast<std::size_t>(view->balance.bullish_cast + view->balance.bearish_cast);
    const auto counts = op.text + " counts " + counted(count) + "; ";
    if (count < least)
      world_.violation(counts + std::to_string(least) + " were acknowledged before it was asked");
    if (count > votes_of(voter, in.id, false))
      world_.violation(counts + std::to_string(votes_of(voter, in.id, false)) + " are stored");
  };
  put(&directory::profiles, profile::get_balance{profile_id{voter}, std::nullopt, {in.year, in.number}}, op);
}

// -- what holds when all is over: what clients were told is compared with what is stored ------------------------------

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
  if (xp.at(profile_id{sender}) == 0 || receiver == sender)
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
    compare_xp_of(i, taker_after(i, world::live_profiles).value);
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
