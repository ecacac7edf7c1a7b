#include "tests/simulation/traders.hpp"

#include "actors/funds/funds_actor.hpp"
#include "actors/market/market_actor.hpp"

namespace credence::test {

namespace {

using market::direction;
using market::vote_side;

std::string named(profile_id id) { return "profile " + std::to_string(id.value); }

} // namespace

void traders::act() {
  if (waits())
    return;
  const auto choice = world_.chance().below(20);
  if (choice < 13)
    return trade();
  if (choice < 16)
    return transfer();
  if (choice < 17)
    return open_market();
  if (choice < 18)
    return freeze_market();
  read_market();
}

// -- trades -------------------------------------------------------------------------------

bool traders::is(const market::traded& stored_one, const attempted_trade& trade) {
  const auto& order = trade.question.order;
  return stored_one.market == order.market && stored_one.trader == trade.question.trader && stored_one.way == order.way
         && stored_one.side == order.side && stored_one.votes == order.votes;
}

std::int64_t traders::times_stored(const attempted_trade& trade, std::int64_t id) const {
  return std::count_if(stored().trades.begin(), stored().trades.end(),
                       [&](const auto& entry) { return is(entry.second, trade) && (id == 0 || entry.first == id); });
}

void traders::judge_absence(const std::string& name, bool was_there, const auto& result) {
  const auto* why = result.refused();
  if (was_there && why && why->code == refusal_code::not_found)
    world_.violation(name + ": there is no market, they say, and somebody was told that there is");
}

bool traders::was_opened(market_id market) const {
  return market.value <= world::markets || std::any_of(openings_.begin(), openings_.end(), [&](const auto& each) {
           return each.owner == market::owner_of(market) && each.outcome == told::yes;
         });
}

void traders::trade() {
  auto& chance = world_.chance();
  market::place_trade trade;
  trade.trader = profile_id{some_profile()};
  trade.order.market = some_market();
  trade.order.way = chance.chance(650) ? direction::buy : direction::sell;
  trade.order.side = chance.chance(600) ? vote_side::trust : vote_side::distrust;
  trade.order.votes = 1 + chance.below(trade.order.way == direction::buy ? 120 : 30);
  const auto name = named(trade.trader) + (trade.order.way == direction::buy ? " buys " : " sells ")
                    + std::to_string(*trade.order.votes)
                    + (trade.order.side == vote_side::trust ? " trust" : " distrust") + " votes on market "
                    + std::to_string(trade.order.market.value);
  if (!names_.insert(name).second)
    return;
  if (trade.order.way == direction::buy && chance.chance(500))
    trade.order.maximum_cost = *trade.order.votes * (300 + chance.below(600));
  auto& attempt = trades_.emplace_back(attempted_trade{trade, name});
  auto& op = begin(name);
  op.judge = [this, &op, &attempt, there = was_opened(trade.order.market)](envelope_base& answered) {
    judge(attempt, as<market::place_trade>(answered));
    if (op.whom == &world_.serving()) // one that was taken over does not know of new markets
      judge_absence(attempt.name, there, as<market::place_trade>(answered));
    op.outcome = attempt.outcome;
  };
  put(&directory::funds, trade, op);
}

void traders::judge(attempted_trade& trade, const envelope<market::place_trade>& answered) {
  const auto times = times_stored(trade, 0);
  if (const auto* receipt = answered.answer()) {
    trade.outcome = told::yes;
    ++report_.traded;
    world_.note(trade.name + ": acknowledged as trade " + std::to_string(receipt->id));
    if (times != 1 || times_stored(trade, receipt->id) != 1)
      world_.violation(trade.name + ": acknowledged and not stored once under its number");
    if (receipt->done.funds > trade.question.order.maximum_cost.value_or(receipt->done.funds))
      world_.violation(trade.name + ": cost more than it may");
  } else if (const auto* why = answered.refused()) {
    trade.outcome = told::no;
    world_.note(trade.name + ": refused, " + why->detail);
  } else {
    trade.outcome = told::unknown;
    world_.note(trade.name + ": unknown");
    const auto failed_with = *answered.failed();
    if ((failed_with == failure::overloaded || failed_with == failure::too_many) && times != 0)
      world_.violation(trade.name + ": turned away for lack of room and stored");
  }
}

// -- money and markets ----------------------------------------------------------------------

std::int64_t traders::times_stored(const attempted_transfer& transfer, std::int64_t id) const {
  return std::count_if(stored().transfers.begin(), stored().transfers.end(), [&](const auto& entry) {
    return entry.second.reference == transfer.question.reference && (id == 0 || entry.first == id);
  });
}

void traders::transfer() {
  const auto way = world_.chance().chance(400) ? funds::flow::deposit : funds::flow::withdrawal;
  const profile_id whose{some_profile()};
  put_transfer(whose, way, wei{1 + world_.chance().below(60'000)});
}

traders::attempted_transfer& traders::put_transfer(profile_id whose, funds::flow way, wei amount) {
  auto& transfer =
    transfers_.emplace_back(attempted_transfer{{whose, way, amount, "m" + std::to_string(transfers_.size() + 1)}});
  auto& op = begin(transfer.question.reference + ": " + std::string{funds::flow_names[static_cast<std::size_t>(way)]}
                   + " of " + decimal(amount) + " wei, " + named(whose));
  op.judge = [this, &op, &transfer](envelope_base& answered) {
    const auto& result = as<funds::move_funds>(answered);
    if (const auto* receipt = result.answer()) {
      op.outcome = told::yes;
      if (times_stored(transfer, receipt->id) != 1 || times_stored(transfer, 0) != 1)
        world_.violation(transfer.question.reference + " was acknowledged and is not stored once under its number");
    } else {
      op.outcome = result.refused() ? told::no : told::unknown;
    }
    transfer.outcome = op.outcome;
    world_.note(transfer.question.reference
                + (op.outcome == told::yes  ? ": acknowledged"
                   : op.outcome == told::no ? ": refused"
                                            : ": unknown"));
  };
  put(&directory::funds, transfer.question, op);
  return transfer;
}

void traders::open_market() {
  auto& query = openings_.emplace_back(attempted_opening{market::owner_of(some_market())});
  auto& op = begin(named(query.owner) + " opens a market");
  op.judge = [this, &op, &query](envelope_base& answered) {
    const auto& result = as<market::open_market>(answered);
    op.outcome = query.outcome = result.answer() ? told::yes : result.refused() ? told::no : told::unknown;
    if (op.outcome == told::yes && !stored().markets.contains(market::market_of(query.owner)))
      world_.violation(op.text + ": acknowledged and not there");
    world_.note(op.text
                + (op.outcome == told::yes  ? ": acknowledged"
                   : op.outcome == told::no ? ": refused"
                                            : ": unknown"));
  };
  put(&directory::funds, market::open_market{query.owner, market::tier::normal}, op);
}

/// One that asks for the opposite on the same market, and is under way or of unknown fate, is a rival.
traders::attempted_freeze& traders::note_freeze(const market::set_market_frozen& question) {
  attempted_freeze fresh{question};
  for (auto& each : freezes_) {
    if (each.question.market != question.market || each.question.frozen == question.frozen || each.outcome == told::yes
        || each.outcome == told::no)
      continue;
    each.rivalled = fresh.rivalled = true;
  }
  return freezes_.emplace_back(fresh);
}

void traders::freeze_market() {
  const market::set_market_frozen question{some_market(), world_.chance().chance(200)};
  auto& attempt = note_freeze(question);
  auto& op =
    begin("market " + std::to_string(question.market.value) + (question.frozen ? " is frozen" : " is let go on"));
  op.judge = [this, &op, &attempt, there = was_opened(question.market)](envelope_base& answered) {
    const auto& result = as<market::set_market_frozen>(answered);
    op.outcome = attempt.outcome = result.answer() ? told::yes : result.refused() ? told::no : told::unknown;
    world_.note(op.text
                + (op.outcome == told::yes  ? ": acknowledged"
                   : op.outcome == told::no ? ": refused"
                                            : ": unknown"));
    if (op.whom != &world_.serving()) // one that was taken over does not know what came after it
      return;
    judge_absence(op.text, there, result);
    const auto found = stored().markets.find(attempt.question.market);
    if (op.outcome == told::yes && !attempt.rivalled
        && (found == stored().markets.end() || found->second.book.frozen != attempt.question.frozen))
      world_.violation(op.text + ": acknowledged and not so");
  };
  put(&directory::markets, question, op);
}

// -- reading --------------------------------------------------------------------------------

void traders::read_market() {
  const auto which = some_market();
  std::int64_t least = 0; // numbers of trades that were acknowledged
  for (const auto& each : trades_)
    if (each.outcome == told::yes)
      for (const auto& [number, stored_one] : stored().trades)
        if (stored_one.market == which && is(stored_one, each))
          least = std::max(least, stored_one.number);
  auto& op = begin("market " + std::to_string(which.value));
  op.judge = [this, &op, which, least, there = was_opened(which),
              timely = takes_stamps(world_.serving())](envelope_base& answered) {
    const auto* view = answer_in<market::get_market>(answered);
    judge_absence(op.text, there, as<market::get_market>(answered));
    op.outcome = view ? told::yes : told::unknown;
    if (view && timely) // or else nobody knows what happened within a day
      judge(op.text, which, least, *view);
  };
  put(&directory::markets, market::get_market{which}, op);
}

/// A market is shown as some trade left it: none before the `least`.
void traders::judge(const std::string& name, market_id which, std::int64_t least, const market::market_view& shown) {
  const auto found = stored().markets.find(which);
  if (found == stored().markets.end())
    return world_.violation(name + " is shown and not stored");
  if (shown.sequence < least || shown.sequence > found->second.book.trades)
    return world_.violation(name + " is shown after trade " + std::to_string(shown.sequence) + ", acknowledged were "
                            + std::to_string(least) + ", stored are " + std::to_string(found->second.book.trades));
  market::vote_counts votes;
  wei volume = 0;
  for (const auto& [number, each] : stored().trades)
    if (each.market == which && each.number == shown.sequence) {
      votes = each.after;
      volume = each.volume_after;
    }
  if (shown.votes != votes || shown.volume_total != volume || shown.volume_24h != volume)
    world_.violation(name + " is not shown as its last trade left it");
}

// -- the end --------------------------------------------------------------------------------

void traders::compare_told(const std::string& name, told outcome, std::int64_t times) {
  if (times > 1 || (outcome == told::yes && times != 1) || (outcome == told::no && times != 0))
    world_.violation(name + " is stored " + std::to_string(times) + " times, which is not what was told");
}

void traders::compare_sums() {
  wei_change outside = 0;
  for (const auto& [number, each] : stored().transfers)
    outside += each.way == funds::flow::deposit ? wei_change{each.amount} : wei_change{-wei_change{each.amount}};
  wei_change inside{stored().fees};
  for (const auto& [who, balance] : stored().money)
    inside += wei_change{balance};
  wei_change first{world::wei_each * world::profiles};
  for (const auto& [which, book] : stored().markets) {
    inside += wei_change{book.book.pool + book.book.locked};
    first += wei_change{which.value <= world::markets ? book.book.creation_cost : wei{0}};
  }
  if (inside != first + outside)
    world_.violation("there are " + decimal(inside) + " wei where there should be "
                     + decimal(wei_change{first + outside}));
}

/// The answer, which must come; null after a violation.
template <class Q>
const typename Q::answer_type* traders::wait_for(std::string name, const auto& whom, Q question) {
  static std::optional<typename Q::answer_type> given;
  given.reset();
  auto& op = begin(std::move(name));
  op.judge = [&op](envelope_base& answered) {
    op.outcome = told::yes;
    if (const auto* answer = answer_in<Q>(answered))
      given = *answer;
  };
  put(whom, std::move(question), op);
  await_answers();
  if (given)
    return &*given;
  world_.violation(op.text + " gave no answer after the faults ended");
  return nullptr;
}

void traders::compare_markets() {
  const auto markets = stored().markets; // time passes
  for (const auto& [which, book] : markets) {
    const auto name = "market " + std::to_string(which.value);
    if (const auto* view = wait_for(name, &directory::markets, market::get_market{which})) {
      judge(name, which, book.book.trades, *view);
      if (view->frozen != book.book.frozen)
        world_.violation(name
                         + (view->frozen ? " is frozen, they say, and is not" : " is frozen, and they do not say so"));
    }
    std::map<profile_id, market::vote_counts> held;
    if (const auto* holders =
          wait_for("holders of " + name, &directory::markets, market::get_holders{which, {1000, 0}}))
      for (const auto& each : holders->values) {
        auto& votes = held.try_emplace(each.who, market::vote_counts{0, 0}).first->second;
        (each.side == vote_side::trust ? votes.trust : votes.distrust) += each.votes;
      }
    auto there = book.held;
    std::erase_if(there, [](const auto& each) { return each.second == market::vote_counts{0, 0}; });
    if (held != there)
      world_.violation("holders of " + name + " are not those that are stored");
  }
}

void traders::take_everything_away() {
  for (int i = 1; i <= world::profiles; ++i) {
    const profile_id whose{i};
    const auto balance = stored().money.at(whose);
    const auto& more = put_transfer(whose, funds::flow::withdrawal, wei{balance + 1});
    await_answers();
    if (more.outcome != told::no)
      return world_.violation(named(whose) + " can take away more than is stored for it");
    if (balance == 0)
      continue;
    const auto& all = put_transfer(whose, funds::flow::withdrawal, balance);
    await_answers();
    if (all.outcome != told::yes)
      return world_.violation(named(whose) + " cannot take away what is stored for it");
  }
}

void traders::look_at_wallet(int whose, bool certain) {
  auto& op = begin("funds of " + named(profile_id{whose}));
  op.judge = [this, &op, whose, certain](envelope_base& answered) {
    const auto* view = answer_in<funds::get_funds>(answered);
    op.outcome = view ? told::yes : told::unknown;
    if (!certain)
      return;
    const auto& balance = stored().money.at(profile_id{whose});
    if (!view || view->balance != balance || view->available != balance)
      world_.violation(op.text + " has not " + decimal(balance) + " wei to spend, which are stored, but "
                       + (view ? decimal(view->available) + " of " + decimal(view->balance) : "no answer"));
  };
  put(&directory::funds, funds::get_funds{profile_id{whose}}, op);
}

void traders::look_at_wallets() {
  for (int i = 1; i <= world::live_profiles; ++i)
    look_at_wallet(i, false);
}

void traders::compare_funds() {
  for (int i = 1; i <= world::live_profiles; ++i)
    look_at_wallet(i, true);
  world_.pass_time(std::chrono::milliseconds{100});
}

void traders::compare_openings() {
  for (int i = 1; i <= world::profiles; ++i) {
    const profile_id owner{i};
    const auto told_so = [&](told change) {
      return std::count_if(openings_.begin(), openings_.end(),
                           [&](const auto& each) { return each.owner == owner && each.outcome == change; });
    };
    const bool there = stored().markets.contains(market::market_of(owner));
    if (i <= world::markets ? told_so(told::yes) > 0 : told_so(told::yes) > (there ? 1 : 0))
      world_.violation(named(owner) + " was told more often than once that there is a new market");
    if (i > world::markets && there && told_so(told::yes) + told_so(told::unknown) == 0)
      world_.violation(named(owner) + " has a market and was told no");
  }
}

void traders::compare() {
  compare_sums();
  compare_markets();
  take_everything_away();
  compare_sums();
  for (const auto& each : trades_)
    compare_told(each.name, each.outcome, times_stored(each, 0));
  for (const auto& each : transfers_)
    compare_told(each.question.reference, each.outcome, times_stored(each, 0));
  compare_openings();
  expect_every_answer();
}

} // namespace credence::test
