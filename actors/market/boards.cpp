#include "actors/market/boards.hpp"

#include <algorithm>

namespace credence::market {

void day_window::add(const traded& trade) {
  if (all_ && within_.size() < kept_max)
    within_.push_back({trade.at, trade.volume_after, trade.trust_price_after, trade.bought_after});
  else
    all_ = false;
}

bool day_window::advance(timestamp now) {
  while (!within_.empty() && within_.front().at <= now - length) {
    before_ = std::move(within_.front());
    within_.pop_front();
  }
  // A trade that is still within the day was let out, or read as out, by a clock that ran ahead.
  const bool too_far = before_.volume_after != 0 && before_.at > now - length;
  return !too_far && (all_ || !within_.empty());
}

namespace {

bool before(const profit_row& a, const profit_row& b) {
  return a.amount != b.amount ? a.amount > b.amount : a.who < b.who;
}

} // namespace

// -- reading -----------------------------------------------------------------------------

std::optional<load_boards> profit_board::next() const {
  if (!prices_read_.complete())
    return load_boards{board_part::prices, prices_read_.after(), {}, board_rows_at_once};
  if (!shares_read_.complete())
    return load_boards{board_part::shares, shares_read_.after().first, shares_read_.after().second, board_rows_at_once};
  if (!traders_read_.complete())
    return load_boards{board_part::traders, {}, traders_read_.after(), board_rows_at_once};
  return std::nullopt;
}

void profit_board::add(const load_boards& query, const stored_boards& part) {
  // What was traded while a part was read and is not in it is counted now. What belongs to later parts is in them, as
  // it was committed before they are asked for.
  const auto arrived = [&](auto& parts, const auto& rows, const auto& key_of_row, const auto& key_of_trade,
                           auto count) {
    const auto after = parts.after();
    if (!rows.empty())
      parts.add(key_of_row(rows.back()), part.as_of);
    if (rows.size() < static_cast<std::size_t>(query.most))
      parts.finish(part.as_of);
    for (const auto& [trade, number] : std::exchange(meanwhile_, {}))
      if (after < key_of_trade(trade) && parts.as_of(key_of_trade(trade)) && number > part.as_of)
        (this->*count)(trade);
  };
  switch (query.part) {
    case board_part::prices:
      for (const auto& each : part.prices) {
        auto& market = stale(each.market);
        market.trust_price = each.trust_price;
        market.distrust_price = each.distrust_price;
      }
      return arrived(
        prices_read_, part.prices, [](const auto& row) { return row.market; },
        [](const traded& trade) { return trade.market; }, &profit_board::count_price);
    case board_part::shares:
      for (const auto& each : part.shares)
        if (each.trust > 0 || each.distrust > 0)
          share_of(stale(each.market), each.who).votes = {each.trust, each.distrust};
      return arrived(
        shares_read_, part.shares,
        [](const auto& row) {
          return share_key{row.market, row.who};
        },
        [](const traded& trade) {
          return share_key{trade.market, trade.trader};
        },
        &profit_board::count_share);
    case board_part::traders:
      for (const auto& each : part.traders)
        if (each.bought > 0 || each.sold > 0)
          trader_of(each.who).cash = wei_change{each.sold} - wei_change{each.bought};
      return arrived(
        traders_read_, part.traders, [](const auto& row) { return row.who; },
        [](const traded& trade) { return trade.trader; }, &profit_board::count_cash);
    case board_part::points: return; // of the other board
  }
}

void profit_board::take(const traded& trade, global_seq number, bool reading) {
  const auto newer = [number](const std::optional<std::int64_t>& as_of) { return as_of && number > *as_of; };
  if (newer(prices_read_.as_of(trade.market)))
    count_price(trade);
  if (newer(shares_read_.as_of({trade.market, trade.trader})))
    count_share(trade);
  if (newer(traders_read_.as_of(trade.trader)))
    count_cash(trade);
  if (reading)
    meanwhile_.emplace_back(trade, number);
}

// -- counting ----------------------------------------------------------------------------

profit_board::priced& profit_board::stale(market_id market) {
  auto& found = markets_[market];
  if (!std::exchange(found.stale, true))
    stale_.push_back(market);
  return found;
}

profit_board::share& profit_board::share_of(priced& in, profile_id who) {
  const auto [found, fresh] = in.places.try_emplace(who, static_cast<std::uint32_t>(in.shares.size()));
  if (fresh)
    in.shares.push_back({who, {0, 0}, 0});
  return in.shares[found->second];
}

profit_board::trader& profit_board::trader_of(profile_id who) {
  const auto [found, fresh] = places_.try_emplace(who, static_cast<std::uint32_t>(traders_.size()));
  if (fresh)
    traders_.push_back({who, 0, 0});
  return traders_[found->second];
}

void profit_board::count_price(const traded& trade) {
  auto& market = stale(trade.market);
  market.trust_price = trade.trust_price_after;
  market.distrust_price = trade.distrust_price_after;
}

void profit_board::count_share(const traded& trade) {
  auto& votes = share_of(stale(trade.market), trade.trader).votes;
  (trade.side == vote_side::trust ? votes.trust : votes.distrust) +=
    trade.way == direction::buy ? trade.votes : -trade.votes;
}

void profit_board::count_cash(const traded& trade) {
  auto& cash = trader_of(trade.trader).cash;
  const wei_change funds{trade.funds()};
  cash = trade.way == direction::buy ? wei_change{cash - funds} : wei_change{cash + funds};
}

// -- working out -------------------------------------------------------------------------

void profit_board::begin() {
  working_ = std::exchange(stale_, {});
  for (const auto each : working_)
    markets_[each].stale = false;
  market_at_ = share_at_ = trader_at_ = worked_ = 0;
  best_.clear();
}

bool profit_board::work(std::size_t steps) {
  const auto until = worked_ + steps;
  for (; market_at_ < working_.size() && worked_ < until; ++worked_) {
    auto& market = markets_[working_[market_at_]];
    if (share_at_ < market.shares.size()) {
      revalue(market, share_at_);
    } else {
      ++market_at_;
      share_at_ = 0;
    }
  }
  for (; market_at_ == working_.size() && trader_at_ < traders_.size() && worked_ < until; ++worked_)
    offer(traders_[trader_at_++]);
  if (market_at_ < working_.size() || trader_at_ < traders_.size())
    return false;
  top_ = best_;
  return true;
}

/// A position that has become empty goes; the last one takes its place and is next.
void profit_board::revalue(priced& which, std::size_t at) {
  auto& held = which.shares[at];
  // Below zero only when a purchase was missed, which is about to be read.
  const wei now = which.trust_price * std::max<std::int64_t>(held.votes.trust, 0)
                  + which.distrust_price * std::max<std::int64_t>(held.votes.distrust, 0);
  auto& worth = trader_of(held.who).worth;
  worth = worth - wei_change{held.worth} + wei_change{now};
  held.worth = now;
  if (held.votes != vote_counts{0, 0}) {
    ++share_at_;
    return;
  }
  which.places.erase(held.who);
  if (at + 1 < which.shares.size()) {
    held = std::move(which.shares.back());
    which.places[held.who] = static_cast<std::uint32_t>(at);
  }
  which.shares.pop_back();
}

void profit_board::offer(const trader& which) {
  profit_row row{which.who, std::nullopt, which.cash + which.worth};
  if (best_.size() == rows_max) {
    if (!before(row, best_.back()))
      return;
    best_.pop_back();
  }
  best_.insert(std::upper_bound(best_.begin(), best_.end(), row, before), row);
}

// -- XP ----------------------------------------------------------------------------------

void xp_board::take(profile_id who, std::int64_t xp, global_seq as_of) {
  auto& known = points_[who]; // also of who has none left: what is being read may be older
  if (as_of < known.as_of)
    return;
  known.as_of = as_of;
  if (known.xp == xp)
    return;
  order_.erase({-known.xp, who.value});
  known.xp = xp;
  if (xp > 0)
    order_.insert({-xp, who.value});
}

void xp_board::put(profile_id who, std::int64_t xp, global_seq as_of) {
  if (xp > 0 || points_.contains(who))
    take(who, xp, as_of);
}

std::vector<xp_row> xp_board::top(std::int32_t most) const {
  std::vector<xp_row> out;
  for (const auto& [negated, who] : order_) {
    if (out.size() == static_cast<std::size_t>(most))
      break;
    out.push_back({profile_id{who}, std::nullopt, -negated});
  }
  return out;
}

xp_rank xp_board::rank_of(profile_id who) const {
  const auto known = points_.find(who);
  return {static_cast<std::int64_t>(order_.order_of_key({known == points_.end() ? 0 : -known->second.xp, who.value}))};
}

} // namespace credence::market
