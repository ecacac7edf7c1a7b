#include "actors/market/market_state.hpp"

#include "actors/market/market_lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace credence::market {

void holder_list::set(profile_id who, vote_side side, std::int64_t& held, std::int64_t votes) {
  auto& of_side = of_side_[static_cast<std::size_t>(side)];
  if (held > 0) {
    order_.erase({-held, who.value, side});
    of_side.erase({-held, who.value, side});
  }
  held = votes;
  if (held > 0) {
    order_.insert({-held, who.value, side});
    of_side.insert({-held, who.value, side});
  }
}

void holder_list::count(const traded& trade) {
  auto& votes = votes_.try_emplace(trade.trader, vote_counts{0, 0}).first->second;
  auto& held = trade.side == vote_side::trust ? votes.trust : votes.distrust;
  set(trade.trader, trade.side, held, held + (trade.way == direction::buy ? trade.votes : -trade.votes));
  if (votes == vote_counts{0, 0})
    votes_.erase(trade.trader);
}

void holder_list::take(const traded& trade) {
  if (const auto as_of = parts_.as_of(trade.trader); !as_of)
    meanwhile_.push_back(trade);
  else if (trade.number > *as_of)
    count(trade);
}

void holder_list::add(const stored_positions& part, bool last) {
  const auto before = after();
  for (const auto& each : part.positions)
    if (each.trust > 0 || each.distrust > 0) {
      auto& votes = votes_.try_emplace(each.who, vote_counts{0, 0}).first->second;
      set(each.who, vote_side::trust, votes.trust, each.trust);
      set(each.who, vote_side::distrust, votes.distrust, each.distrust);
    }
  if (!part.positions.empty())
    parts_.add(part.positions.back().who, part.trades);
  if (last)
    parts_.finish(part.trades);
  // Those of holders behind this part are in the next one, as they were committed before it is asked for.
  for (const auto& each : std::exchange(meanwhile_, {}))
    if (before < each.trader && parts_.as_of(each.trader) && each.number > part.trades)
      count(each);
}

holder_page holder_list::page_of(const page& slice, std::optional<vote_side> side) const {
  const auto& from = side ? of_side_[static_cast<std::size_t>(*side)] : order_;
  holder_page out{{}, static_cast<std::int64_t>(from.size()), slice};
  auto at = from.find_by_order(static_cast<std::size_t>(slice.offset));
  for (std::int32_t i = 0; i < slice.limit && at != from.end(); ++i, ++at)
    out.values.push_back({profile_id{at->who}, std::nullopt, at->side, -at->votes_negated});
  return out;
}

namespace {

std::string counted(std::int64_t votes) { return std::to_string(votes) + (votes == 1 ? " vote" : " votes"); }

std::int64_t& of(vote_counts& counts, vote_side side) noexcept {
  return side == vote_side::trust ? counts.trust : counts.distrust;
}
std::int64_t of(const vote_counts& counts, vote_side side) noexcept {
  return side == vote_side::trust ? counts.trust : counts.distrust;
}

refusal beyond(const curve& how) {
  return {refusal_code::market_limit_reached,
          "this market holds at most " + counted(votes_per_liquidity_max * how.liquidity) + " of either side"};
}

refusal frozen(market_id which) {
  return {refusal_code::market_frozen, "market " + std::to_string(which.value)
                                         + " is frozen: nobody buys or sells on it until an admin lets it go on"};
}

} // namespace

std::int32_t percent_change(const wei& then, const wei& now) {
  if (then == 0)
    return 0;
  const bool up = now >= then;
  const wei difference = up ? wei{now - then} : wei{then - now};
  const wei exact = (difference * 200 + then) / (then * 2);
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(); // from a price of next to nothing
  const auto percent = exact > most ? most : static_cast<std::int32_t>(exact);
  return up ? percent : -percent;
}

std::int32_t cap_percent_change(const wei_change& then, const wei_change& now) {
  const auto at_least_nothing = [](const wei_change& cap) { return cap > 0 ? wei{cap} : wei{0}; };
  return percent_change(at_least_nothing(then), at_least_nothing(now));
}

stored_book fresh_book(const market_opened& change) {
  return {.kind = change.kind,
          .how = change.how,
          .creation_cost = change.creation_cost,
          .locked = change.creation_cost,
          .pool = 0,
          .bought = 0,
          .sold = 0,
          .votes = {},
          .trades = 0,
          .created_at = change.at,
          .updated_at = change.at};
}

trade_receipt receipt_of(const traded& trade, std::int64_t id) {
  const order question{trade.market, trade.way, trade.side, trade.votes, std::nullopt};
  return {.done = {.order = question,
                   .votes = trade.votes,
                   .cost = trade.cost,
                   .protocol_fee = trade.protocol_fee,
                   .donation = trade.donation,
                   .funds = trade.funds(),
                   .trust_price = trade.trust_price_after,
                   .distrust_price = trade.distrust_price_after,
                   .sequence = trade.number},
          .id = id,
          .at = trade.at,
          .held = 0,
          .balance = std::nullopt};
}

offered_configs offered_by(const terms& settings) {
  offered_configs out;
  for (std::size_t i = 0; i < settings.tiers.size(); ++i) {
    const auto& [how, cost] = settings.tiers[i];
    out.push_back({static_cast<std::int64_t>(i), static_cast<tier>(i), wei{how.liquidity}, how.base_price, cost});
  }
  return out;
}

market_state::market_state(market_id id, stored_book book, const std::vector<position>& positions, stored_window window)
  : id_(id), kind_(book.kind), how_(book.how), creation_cost_(book.creation_cost),
    created_at_(book.created_at), committed_{lmsr_point::at(book.how, book.votes).value(),
                                             book.trades,
                                             book.pool,
                                             book.locked,
                                             book.bought,
                                             book.sold,
                                             book.updated_at,
                                             book.frozen},
    head_(committed_), window_(std::move(window)) {
  all_known_ = positions.size() < static_cast<std::size_t>(positions_at_once);
  holdings_.reserve(positions.size());
  for (const auto& each : positions)
    learn(each);
  holders_.add({positions, book.trades}, all_known_);
}

void market_state::learn(const position& stored) {
  const vote_counts votes{stored.trust, stored.distrust};
  if (!all_known_ || votes != vote_counts{0, 0})
    holdings_.try_emplace(stored.who, share_held{votes, votes});
}

// -- rules ---------------------------------------------------------------------------------

outcome<quote> market_state::decide(const get_quote& query, const fees& rates) const {
  if (committed_.frozen)
    return frozen(id_);
  return work_out(committed_, query.order, nullptr, rates);
}

std::optional<market_frozen_set> market_state::decide(const set_market_frozen& command, timestamp now) const {
  if (command.frozen == head_.frozen)
    return std::nullopt;
  return market_frozen_set{id_, command.frozen, now};
}

outcome<traded> market_state::decide(const place_trade& command, const wei& funds, const fees& rates,
                                     timestamp now) const {
  if (command.deadline && now > *command.deadline)
    return refusal{refusal_code::deadline_passed, "the deadline " + iso_text(*command.deadline) + " has passed"};
  const auto& basis = command.dry_run ? committed_ : head_; // what is not done is not shown before its time either
  if (basis.frozen)
    return frozen(id_);
  if (command.expected_sequence && *command.expected_sequence != basis.number)
    return refusal{refusal_code::sequence_mismatch, "the market has had " + std::to_string(basis.number)
                                                      + " trades, not " + std::to_string(*command.expected_sequence)};
  const auto done = work_out(basis, command.order, &funds, rates);
  if (!done)
    return done.why();
  const auto& record = command.order;
  const bool buys = record.way == direction::buy;
  const auto has = command.dry_run ? held(command.trader, record.side) : held_now(command.trader, record.side);
  if (buys && done->funds > funds)
    return refusal{refusal_code::insufficient_funds, "the trade costs " + decimal(done->funds) + " wei with fees, and "
                                                       + decimal(funds) + " wei are available"};
  if (!buys && done->votes > has)
    return refusal{refusal_code::insufficient_votes, "you have " + counted(has) + " of "
                                                       + std::string{side_names[static_cast<std::size_t>(record.side)]}
                                                       + ", not " + std::to_string(done->votes)};
  if (!buys && command.minimum_proceeds && done->funds < *command.minimum_proceeds)
    return refusal{refusal_code::slippage_exceeded, "the trade brings " + decimal(done->funds)
                                                      + " wei, less than minimumProceeds "
                                                      + decimal(*command.minimum_proceeds)};
  traded out{.market = id_,
             .number = basis.number + 1,
             .trader = command.trader,
             .way = record.way,
             .side = record.side,
             .votes = done->votes,
             .cost = done->cost,
             .protocol_fee = done->protocol_fee,
             .donation = done->donation,
             .drawn = 0,
             .after = basis.at.votes(),
             .trust_price_after = done->trust_price,
             .distrust_price_after = done->distrust_price,
             .volume_after = basis.bought + basis.sold + done->funds,
             .bought_after = buys ? wei{basis.bought + done->funds} : basis.bought,
             .at = std::max(now, basis.updated_at)}; // in the order of their numbers, whatever the clock does
  of(out.after, record.side) += buys ? done->votes : -done->votes;
  if (!buys && out.cost > basis.pool)
    out.drawn = out.cost - basis.pool;
  return out;
}

outcome<quote> market_state::work_out(const figures& basis, const order& order, const wei* funds,
                                      const fees& rates) const {
  return order.way == direction::buy ? buy(basis, order, funds, rates) : sell(basis, order, rates);
}

quote market_state::before_fees(const figures& basis, const order& order, std::int64_t votes, const lmsr_point& next) {
  return {.order = order,
          .votes = votes,
          .cost = order.way == direction::buy ? purchase_cost(basis.at, next, order.side)
                                              : cost_between(basis.at, next, order.side),
          .protocol_fee = 0,
          .donation = 0,
          .funds = 0,
          .trust_price = next.trust_price(),
          .distrust_price = next.distrust_price(),
          .sequence = basis.number};
}

outcome<quote> market_state::buy(const figures& basis, const order& order, const wei* funds, const fees& rates) const {
  const auto room = votes_per_liquidity_max * how_.liquidity - basis.at.votes(order.side);
  auto votes = order.votes.value_or(0);
  if (!order.votes) {
    // As many as the money pays for, whichever of the two is less.
    const wei& most = funds && *funds < *order.maximum_cost ? *funds : *order.maximum_cost;
    votes = affordable(basis.at, order.side, most, rates, room);
    if (votes == 0 && room > 0)
      votes = 1; // so that the refusal names the price of one
  }
  const auto next = votes > room || votes < 1 ? std::nullopt : basis.at.moved(order.side, votes);
  if (!next)
    return beyond(how_);
  auto out = before_fees(basis, order, votes, *next);
  out.protocol_fee = fee(out.cost, rates.entry_bps);
  out.donation = fee(out.cost, rates.donation_bps);
  out.funds = with_entry_fees(out.cost, rates);
  if (order.maximum_cost && out.funds > *order.maximum_cost)
    return refusal{order.votes ? refusal_code::slippage_exceeded : refusal_code::trade_too_small,
                   counted(votes) + " cost " + decimal(out.funds) + " wei with fees, more than maximumCost "
                     + decimal(*order.maximum_cost)};
  return out;
}

outcome<quote> market_state::sell(const figures& basis, const order& order, const fees& rates) const {
  const auto votes = *order.votes;
  const auto outstanding = basis.at.votes(order.side) - 1; // the first one belongs to nobody
  if (votes > outstanding)
    return refusal{refusal_code::insufficient_votes, "all holders together have " + counted(outstanding) + " of "
                                                       + std::string{side_names[static_cast<std::size_t>(order.side)]}};
  const auto next = basis.at.moved(order.side, -votes);
  if (!next)
    return beyond(how_);
  auto out = before_fees(basis, order, votes, *next);
  out.protocol_fee = fee(out.cost, rates.exit_bps);
  out.funds = after_exit_fee(out.cost, rates);
  return out;
}

// -- changes -------------------------------------------------------------------------------

void market_state::move(figures& to, const traded& change, const lmsr_point& at) {
  to.at = at;
  to.number = change.number;
  to.updated_at = change.at;
  to.locked -= change.drawn;
  if (change.way == direction::buy) {
    to.pool += change.cost;
    to.bought += change.funds();
  } else {
    to.pool = to.pool + change.drawn - change.cost;
    to.sold += change.funds();
  }
}

void market_state::apply(const traded& change) {
  const bool buys = change.way == direction::buy;
  const auto next = head_.at.moved(change.side, buys ? change.votes : -change.votes).value();
  move(head_, change, next);
  of(holdings_[change.trader].now, change.side) += buys ? change.votes : -change.votes;
  under_way_.emplace_back(change, next);
}

void market_state::commit(const traded& change) {
  move(committed_, change, under_way_.front().second);
  under_way_.pop_front();
  auto& holding = holdings_[change.trader];
  of(holding.committed, change.side) += change.way == direction::buy ? change.votes : -change.votes;
  if (all_known_
      && holding.now.trust + holding.now.distrust + holding.committed.trust + holding.committed.distrust == 0)
    holdings_.erase(change.trader);
  window_.add(change);
  holders_.take(change);
}

void market_state::take_back() {
  for (const auto& [change, at] : under_way_)
    if (const auto found = holdings_.find(change.trader); found != holdings_.end())
      found->second.now = found->second.committed;
  under_way_.clear();
  head_ = committed_;
}

// -- views ---------------------------------------------------------------------------------

void market_state::look_back(stored_window window, timestamp now) {
  // Trades that were committed since it was read are not in it: it ends where they begin.
  window.all = window.all && window.trades >= committed_.number;
  window_ = day_window{std::move(window)};
  window_.advance(now);
}

market_view market_state::view(const face& whose) const {
  const auto& now = committed_;
  const wei volume = now.bought + now.sold;
  const auto& then = window_.before();
  const wei_change cap = wei_change{now.bought} - wei_change{now.sold};
  const auto cap_then = cap_of(then.bought_after, then.volume_after);
  return {.id = id_,
          .kind = kind_,
          .how = how_,
          .creation_cost = creation_cost_,
          .votes = now.at.votes(),
          .trust_price = now.at.trust_price(),
          .distrust_price = now.at.distrust_price(),
          .created_at = created_at_,
          .updated_at = now.updated_at,
          .sequence = now.number,
          .market_cap = cap,
          .volume_total = volume,
          .volume_24h = volume - then.volume_after,
          .price_change_24h = percent_change(then.trust_price_after, now.at.trust_price()),
          .cap_change_24h = cap - cap_then,
          .cap_change_percent_24h = cap_percent_change(cap_then, cap),
          .whose = whose,
          .frozen = now.frozen};
}

std::int64_t market_state::held(profile_id who, vote_side side) const {
  const auto found = holdings_.find(who);
  return found == holdings_.end() ? 0 : of(found->second.committed, side);
}

std::vector<figure> market_state::in_memory() const {
  const auto& now = committed_;
  return {{"tier", std::string{tier_names[static_cast<std::size_t>(kind_)]}},
          {"trustVotes", now.at.votes().trust},
          {"distrustVotes", now.at.votes().distrust},
          {"trustPrice", decimal(now.at.trust_price())},
          {"distrustPrice", decimal(now.at.distrust_price())},
          {"pool", decimal(now.pool)},
          {"locked", decimal(now.locked)},
          {"sequence", now.number},
          {"pendingTrades", under_way_.size()},
          {"tradersInMemory", holdings_.size()},
          {"holders", holders_.size()},
          {"allHoldersInMemory", holders_.complete()}};
}

std::int64_t market_state::held_now(profile_id who, vote_side side) const {
  const auto found = holdings_.find(who);
  return found == holdings_.end() ? 0 : of(found->second.now, side);
}

} // namespace credence::market
