#include "tests/simulation/slashers.hpp"

#include "actors/slash/slash_actor.hpp"

namespace credence::test {

using namespace std::chrono_literals;
using slash::vote_side;

namespace {

constexpr int subjects = 12;
constexpr auto most_off = clock_difference_max + 1s; // what a process goes by, from the database's clock

std::string named(slash_id which) { return "slash " + std::to_string(which.value); }
std::string named(const slash::cast_slash_vote& vote) {
  return "vote of profile " + std::to_string(vote.voter.value) + " on " + named(vote.slash) + " to "
         + std::string{slash::side_names[static_cast<std::size_t>(vote.side)]};
}

vote_side other(vote_side than) { return than == vote_side::slash ? vote_side::defend : vote_side::slash; }

bool same(const slash::closing& a, const slash::closing& b) {
  return a.at == b.at && a.how == b.how && a.votes.slash == b.votes.slash && a.votes.defend == b.votes.defend;
}

/// Most are profiles, known by a wallet or by an account; the last ones are nobody known.
slash::subject subject_of(int number, bool by_wallet) {
  slash::subject out;
  if (number <= world::profiles) {
    out.user = user_id{number};
    out.profile = profile_id{number};
  }
  if (by_wallet)
    out.wallet.emplace().bytes.fill(static_cast<std::byte>(number));
  else
    out.account = slash::account{people::account_service::x, "a" + std::to_string(number)};
  return out;
}

} // namespace

void slashers::act() {
  if (waits())
    return;
  const auto choice = world_.chance().below(20);
  if (choice < 4)
    return open();
  if (choice < 16)
    return vote();
  if (choice < 17)
    return cancel();
  read();
}

// -- what is stored -------------------------------------------------------------------------

const slashers::book* slashers::find(slash_id which) const {
  const auto found = stored().find(which);
  return found == stored().end() ? nullptr : &found->second;
}

std::size_t slashers::times_stored(const attempted_opening& opening) const {
  return static_cast<std::size_t>(std::count_if(stored().begin(), stored().end(), [&](const auto& each) {
    return each.second.record.comment == opening.question.comment;
  }));
}

bool slashers::told_of(slash_id which) const {
  return std::any_of(openings_.begin(), openings_.end(),
                     [&](const auto& each) { return each.outcome == told::yes && each.id == which; });
}

/// Mostly one that is open, sometimes one that is closed or is not there.
slash_id slashers::some_slash() {
  std::vector<slash_id> open;
  for (const auto& [id, each] : stored())
    if (!each.record.closed)
      open.push_back(id);
  if (open.empty() || world_.chance().chance(80))
    return slash_id{static_cast<std::int32_t>(world_.chance().below(static_cast<std::uint32_t>(stored().size() + 2)))};
  return open[world_.chance().below(static_cast<std::uint32_t>(open.size()))];
}

// -- opening ------------------------------------------------------------------------------

void slashers::open() {
  static constexpr std::array<std::chrono::seconds, 8> durations{1s, 1s, 2s, 2s, 3s, 5s, 600s, 48h};
  auto& chance = world_.chance();
  auto& attempted = openings_.emplace_back();
  attempted.question.author = profile_id{some_profile()};
  attempted.question.subject = subject_of(1 + static_cast<int>(chance.below(subjects)), chance.chance(500));
  attempted.question.type = chance.chance(500) ? slash::slash_type::score : slash::slash_type::financial;
  attempted.question.amount = 1 + chance.below(limits::slash_amount_always);
  attempted.question.lasts = durations[chance.below(durations.size())];
  attempted.question.comment = "s" + std::to_string(openings_.size());
  auto& op = begin(attempted.question.comment + ": profile " + std::to_string(attempted.question.author.value)
                   + " opens a slash of " + std::to_string(attempted.question.lasts.count()) + " s");
  op.judge = [this, &op, &attempted, at = world_.database().clock()](envelope_base& answered) {
    judge(attempted, op, at, as<slash::open_slash>(answered));
    op.outcome = attempted.outcome;
  };
  put(&directory::slashes, attempted.question, op);
}

void slashers::judge(attempted_opening& opening, const operation& op, timestamp asked_at,
                     const envelope<slash::open_slash>& answered) {
  const auto& name = opening.question.comment;
  if (const auto* fresh = answered.answer()) {
    opening.outcome = told::yes;
    opening.id = fresh->id;
    world_.note(name + ": acknowledged as " + named(fresh->id));
    const auto* there = find(fresh->id);
    if (!there || there->record.comment != name || times_stored(opening) != 1)
      world_.violation(name + " was acknowledged and is not stored once under its number");
  } else if (const auto* why = answered.refused()) {
    opening.outcome = told::no;
    world_.note(name + ": refused, " + why->detail);
    if (op.whom != &world_.serving()) // one that was taken over may know of slashes that are closed
      return;
    const auto any = [&](auto fits) {
      return std::any_of(stored().begin(), stored().end(), [&](const auto& each) { return fits(each.second.record); });
    };
    if (why->code == refusal_code::slash_open_already && !any([&](const slash::slash_record& each) {
          return (each.author == opening.question.author || each.subject.same_as(opening.question.subject))
                 && (!each.closed || each.closed->at + most_off >= asked_at);
        }))
      world_.violation(name + " was refused for a slash that is open, and there is none");
    if (why->code == refusal_code::slash_cooldown && !any([&](const slash::slash_record& each) {
          return each.subject.same_as(opening.question.subject) && each.closed
                 && each.closed->how == slash::verdict::slashed;
        }))
      world_.violation(name + " was refused for a subject that was slashed, and it never was");
  } else {
    opening.outcome = told::unknown;
    world_.note(name + ": unknown");
  }
}

// -- voting ---------------------------------------------------------------------------------

/// One profile changes its mind again and again.
void slashers::vote() {
  auto& chance = world_.chance();
  const auto which = some_slash();
  const profile_id who{chance.chance(400) ? 1 + (which.value + 4) % world::profiles : some_profile()};
  const auto* on = find(which);
  const auto before = on ? on->ballots.find(who) : std::map<profile_id, slash::ballot>::const_iterator{};
  auto side = chance.chance(600) ? vote_side::slash : vote_side::defend;
  if (on && before != on->ballots.end())
    side = chance.chance(750) ? other(before->second.side) : before->second.side;
  vote(which, who, side);
}

void slashers::vote(slash_id which, profile_id who, vote_side side) {
  auto& of = voters_[{which, who}];
  if (of.under_way || world_.people_known().status_of(who) == people::people_index::status::archived)
    return;
  of.under_way = true;
  auto& attempted = of.votes.emplace_back(attempted_vote{{which, who, side}});
  auto& op = begin(named(attempted.question));
  op.judge = [this, &op, &of, &attempted, known = told_of(which)](envelope_base& answered) {
    of.under_way = false;
    judge(attempted, op, known, as<slash::cast_slash_vote>(answered));
    op.outcome = attempted.outcome;
  };
  put(&directory::slashes, attempted.question, op);
}

void slashers::judge(attempted_vote& vote, const operation& op, bool known,
                     const envelope<slash::cast_slash_vote>& answered) {
  const auto name = named(vote.question);
  if (const auto* receipt = answered.answer()) {
    vote.outcome = told::yes;
    world_.note(name + ": acknowledged, weighs " + std::to_string(receipt->weight));
    const auto* on = find(vote.question.slash);
    const auto ballot =
      on ? on->ballots.find(vote.question.voter) : std::map<profile_id, slash::ballot>::const_iterator{};
    if (receipt->slash != vote.question.slash || receipt->side != vote.question.side)
      world_.violation(name + " was acknowledged as another one");
    else if (!on || ballot == on->ballots.end() || ballot->second.side != receipt->side
             || ballot->second.weight != receipt->weight)
      world_.violation(name + " was acknowledged with a weight of " + std::to_string(receipt->weight)
                       + " and is not the ballot that is stored");
  } else if (const auto* why = answered.refused()) {
    vote.outcome = told::no;
    world_.note(name + ": refused, " + why->detail);
    if (op.whom == &world_.serving()) // one that was taken over knows less
      judge_refusal(vote, op, known, *why);
  } else {
    vote.outcome = told::unknown;
    world_.note(name + ": unknown");
  }
}

void slashers::judge_refusal(const attempted_vote& vote, const operation& op, bool known, const refusal& why) {
  const auto* on = find(vote.question.slash);
  const auto wrong = [&](const char* because) { world_.violation(op.text + " was refused as " + because); };
  switch (why.code) {
    case refusal_code::not_found: return known ? wrong("there is no slash, and there is") : void();
    case refusal_code::slash_closed:
      return !on || (!on->record.closed && on->record.ends_at() > world_.database().clock() + most_off)
               ? wrong("it is closed, and it is open")
               : void();
    case refusal_code::vote_limit_reached:
      return !on || !on->ballots.contains(vote.question.voter)
                 || on->ballots.at(vote.question.voter).votes < limits::slash_votes_per_profile_max
               ? wrong("one too many, and it is not")
               : void();
    case refusal_code::cannot_vote_own_slash:
      return !on || (on->record.author != vote.question.voter && on->record.subject.profile != vote.question.voter)
               ? wrong("the voter's own, and it is not")
               : void();
    case refusal_code::profile_not_live:
      return !world_.database().now().archived.contains(vote.question.voter) ? wrong("of nobody live, and the voter is")
                                                                             : void();
    default: return wrong("nothing refuses a vote");
  }
}

// -- closing --------------------------------------------------------------------------------

void slashers::cancel() {
  const auto which = some_slash();
  auto& op = begin(named(which) + " is cancelled");
  op.judge = [this, &op, which, known = told_of(which)](envelope_base& answered) {
    const auto& result = as<slash::cancel_slash>(answered);
    const auto* on = find(which);
    op.outcome = told::yes;
    if (const auto* over = result.answer()) {
      world_.note(op.text + ": acknowledged");
      if (!on || !on->record.closed || !over->closed || !same(*over->closed, *on->record.closed)
          || over->closed->how != slash::verdict::cancelled)
        world_.violation(op.text + ", as it was told, and is not stored so");
    } else if (const auto* why = result.refused();
               why && why->code == refusal_code::not_found && known && op.whom == &world_.serving()) {
      world_.violation(op.text + ", and is said not to be there");
    }
  };
  put(&directory::slashes, slash::cancel_slash{which}, op);
}

/// What a slash came to stays.
void slashers::judge_closed(const std::string& name, slash_id which) {
  const auto& closed = find(which)->record.closed;
  if (closed && !same(ends_.try_emplace(which, *closed).first->second, *closed))
    world_.violation(name + " was closed in another way before");
}

void slashers::judge_shown(const std::string& name, const slash::slash_record& shown, bool was_closed) {
  const auto* on = find(shown.id);
  if (!on)
    return world_.violation(name + " is shown and not stored");
  judge_closed(name, shown.id);
  if (shown.comment != on->record.comment || shown.author != on->record.author
      || shown.ends_at() != on->record.ends_at())
    world_.violation(name + " is shown as another one");
  if (shown.closed ? !on->record.closed || !same(*shown.closed, *on->record.closed) : was_closed)
    world_.violation(name + " is not shown as it was closed");
}

void slashers::read() {
  const auto which = some_slash();
  const auto* there = find(which);
  const bool closed = there && there->record.closed;
  auto& op = begin(named(which));
  op.judge = [this, &op, closed, known = told_of(which)](envelope_base& answered) {
    const auto& result = as<slash::get_slash>(answered);
    op.outcome = told::yes;
    if (const auto* shown = result.answer())
      judge_shown(op.text, *shown, closed);
    else if (known && result.refused())
      world_.violation(op.text + " was acknowledged before and is not found");
  };
  put(&directory::slashes, slash::get_slash{which}, op);
}

// -- what holds when all is over: what clients were told is compared with what is stored ------------------------------

slashers::told slashers::vote_now(slash_id which, profile_id who, vote_side side) {
  vote(which, who, side);
  await_answers();
  return voters_[{which, who}].votes.back().outcome;
}

void slashers::converge() {
  for (int round = 0; round < 20; ++round) {
    bool open = false;
    for (auto& [key, of] : voters_)
      if (!of.votes.empty() && of.votes.back().outcome == told::unknown
          && !world_.database().now().archived.contains(key.second)) {
        open = true;
        vote(key.first, key.second, of.votes.back().question.side);
      }
    if (!open || world_.violated())
      return;
    world_.pass_time(200ms);
  }
  world_.violation("unknown votes on slashes do not converge");
}

void slashers::compare_openings() {
  for (const auto& each : openings_) {
    const auto times = times_stored(each);
    if (times > 1 || (each.outcome == told::yes && times != 1) || (each.outcome == told::no && times != 0))
      world_.violation(each.question.comment + " is stored " + std::to_string(times)
                       + " times, which is not what was told");
  }
}

/// The votes that are stored are those of which nothing else was told, in order, each once.
void slashers::compare_votes(const whose& key, const voter& of) {
  const auto* on = find(key.first);
  if (!on)
    return;
  auto next = of.votes.begin();
  for (const auto& each : on->votes) {
    if (each.voter != key.second)
      continue;
    next = std::find_if(next, of.votes.end(),
                        [&](const auto& vote) { return vote.outcome != told::no && vote.question.side == each.side; });
    if (next == of.votes.end())
      return world_.violation("vote " + std::to_string(each.number) + " on " + named(key.first)
                              + " is stored, and nobody cast it or was told so");
    ++next;
  }
}

void slashers::compare_sums() {
  for (const auto& [id, on] : stored()) {
    slash::weights sums;
    std::map<profile_id, slash::ballot> last;
    for (const auto& vote : on.votes) {
      auto& ballot = last[vote.voter];
      ballot = {vote.voter, vote.side, vote.weight, ballot.votes + 1};
      if (!voters_.contains({id, vote.voter}))
        world_.violation("profile " + std::to_string(vote.voter.value) + " never voted on " + named(id));
    }
    for (const auto& [who, ballot] : last) {
      (ballot.side == vote_side::slash ? sums.slash : sums.defend) += ballot.weight;
      const auto there = on.ballots.find(who);
      if (there == on.ballots.end() || there->second.side != ballot.side || there->second.weight != ballot.weight
          || there->second.votes != ballot.votes)
        world_.violation("the ballot of profile " + std::to_string(who.value) + " on " + named(id)
                         + " is not its last vote");
    }
    if (last.size() != on.ballots.size() || sums.slash != on.tally.slash || sums.defend != on.tally.defend)
      world_.violation("the ballots on " + named(id) + " weigh " + std::to_string(sums.slash) + " to "
                       + std::to_string(sums.defend) + ", and its tally says " + std::to_string(on.tally.slash) + " to "
                       + std::to_string(on.tally.defend));
    judge_closed(named(id), id);
  }
}

/// Everything is shown as it is stored, and nothing is open after its end.
void slashers::compare_slashes() {
  auto& op = begin("all slashes");
  op.judge = [this, &op](envelope_base& answered) {
    op.outcome = told::yes;
    const auto* page = answer_in<slash::find_slashes>(answered);
    if (!page || page->total != static_cast<std::int64_t>(stored().size()) || page->values.size() != stored().size())
      return world_.violation(op.text + " are not shown");
    for (const auto& each : page->values) {
      judge_shown(named(each.id), each, find(each.id)->record.closed.has_value());
      if (!each.closed && each.ends_at() + 2s < world_.database().clock())
        world_.violation(named(each.id) + " is over and not closed");
    }
  };
  put(&directory::slashes, slash::find_slashes{{}, {}, {}, {1000, 0}}, op);
  await_answers();
}

void slashers::compare_roles() {
  for (const auto& [id, each] : stored()) {
    slash::get_roles question{id, {}, {}};
    for (int i = 1; i <= world::profiles; ++i)
      question.profiles.push_back(profile_id{i});
    auto& op = begin("roles in " + named(id));
    op.judge = [this, &op, id = id](envelope_base& answered) {
      op.outcome = told::yes;
      const auto* roles = answer_in<slash::get_roles>(answered);
      const auto& on = *find(id);
      if (!roles)
        return world_.violation(op.text + " are not told");
      std::size_t voters = 0;
      for (const auto& [who, role] : *roles) {
        if (role == slash::role::slasher || role == slash::role::defender)
          continue;
        ++voters;
        const auto ballot = on.ballots.find(who);
        const bool right = ballot != on.ballots.end()
                           && role
                                == (!on.record.closed                         ? slash::role::voter
                                    : ballot->second.side == vote_side::slash ? slash::role::voted_slash
                                                                              : slash::role::voted_defend);
        if (!right)
          world_.violation(op.text + " are not those of its ballots");
      }
      if (voters != on.ballots.size())
        world_.violation(op.text + " leave somebody out");
    };
    put(&directory::slashes, std::move(question), op);
  }
  await_answers();
}

/// What the service knows of ballots is what is stored: who repeats a vote is told that it stands.
void slashers::vote_again() {
  std::vector<std::pair<whose, slash::ballot>> open;
  for (const auto& [id, each] : stored())
    if (!each.record.closed)
      for (const auto& [who, ballot] : each.ballots)
        if (world_.people_known().status_of(who) == people::people_index::status::live
            && people::vote_weight_of(world_.people_known().score_of(who)) == ballot.weight)
          open.push_back({{id, who}, ballot});
  for (const auto& [key, ballot] : open) {
    const auto before = find(key.first)->votes.size();
    const bool good = vote_now(key.first, key.second, ballot.side) == told::yes;
    if (!find(key.first)->record.closed && (!good || find(key.first)->votes.size() != before))
      world_.violation("profile " + std::to_string(key.second.value) + " repeated its vote on " + named(key.first)
                       + ", which was not known");
  }
}

/// A voter may change its vote until as many are stored as may be, and not once more.
void slashers::vote_too_often(slash_id which) {
  const auto record = find(which)->record;
  profile_id who{1};
  while (who.value <= world::profiles
         && (who == record.author || who == record.subject.profile
             || world_.people_known().status_of(who) != people::people_index::status::live))
    ++who.value;
  if (who.value > world::profiles)
    return;
  for (int i = 0; i <= limits::slash_votes_per_profile_max && !world_.violated(); ++i) {
    const auto& on = *find(which); // time passes
    const auto ballot = on.ballots.find(who);
    const bool too_many = ballot != on.ballots.end() && ballot->second.votes >= limits::slash_votes_per_profile_max;
    const auto side = ballot == on.ballots.end() ? vote_side::slash : other(ballot->second.side);
    if (vote_now(which, who, side) != (too_many ? told::no : told::yes))
      world_.violation("profile " + std::to_string(who.value) + " cannot vote as often on " + named(which)
                       + " as it may, or more often");
    if (too_many)
      return;
  }
}

/// The tally of a slash that ends is the one in memory; the database refuses another.
void slashers::cancel_all() {
  std::vector<slash_id> open;
  for (const auto& [id, each] : stored())
    if (!each.record.closed)
      open.push_back(id);
  for (const auto id : open) {
    auto& op = begin(named(id) + " is cancelled at last");
    op.judge = [&op](envelope_base& answered) {
      op.outcome = answer_in<slash::cancel_slash>(answered) ? told::yes : told::unknown;
    };
    put(&directory::slashes, slash::cancel_slash{id}, op);
    await_answers();
    if (op.outcome != told::yes || !find(id)->record.closed)
      world_.violation(op.text + ", and is not");
  }
}

void slashers::compare() {
  compare_openings();
  compare_slashes();
  compare_roles();
  vote_again();
  const auto open = std::find_if(stored().begin(), stored().end(), [&](const auto& each) {
    return !each.second.record.closed && each.second.record.ends_at() > world_.database().clock() + 60s;
  });
  if (open != stored().end() && !world_.violated())
    vote_too_often(open->first);
  if (!world_.violated())
    cancel_all();
  compare_sums();
  for (const auto& [key, of] : voters_)
    compare_votes(key, of);
  compare_slashes();
  expect_every_answer();
}

} // namespace credence::test
