#include "actors/market/boards.hpp"

#include <algorithm>

namespace credence::market {

profit_board::profit_board(const stored_boards& stored) {
  for (const auto& each : stored.prices) {
    auto& market = markets_[each.market];
    market.trust_price = each.trust_price;
    market.distrust_price = each.distrust_price;
    market.stale = true;
    stale_.push_back(each.market);
  }
  for (const auto& each : stored.shares)
    if (each.trust > 0 || each.distrust > 0)
      markets_[each.market].shares[each.who].votes = {each.trust, each.distrust};
  for (const auto& each : stored.traders)
    traders_[each.who].cash = wei_change{each.sold} - wei_change{each.bought};
}

void profit_board::take(const traded& what) {
  auto& market = markets_[what.market];
  market.trust_price = what.trust_price_after;
  market.distrust_price = what.distrust_price_after;
  if (!std::exchange(market.stale, true))
    stale_.push_back(what.market);
  const bool buys = what.way == direction::buy;
  auto& votes = market.shares[what.trader].votes;
  (what.side == vote_side::trust ? votes.trust : votes.distrust) += buys ? what.votes : -what.votes;
  auto& cash = traders_[what.trader].cash;
  const wei_change funds{what.funds()};
  cash = buys ? wei_change{cash - funds} : wei_change{cash + funds};
}

void profit_board::revalue(priced& which) {
  which.stale = false;
  for (auto each = which.shares.begin(); each != which.shares.end();) {
    auto& [who, held] = *each;
    // Below zero only when a purchase was missed, which is about to be read.
    const wei now = which.trust_price * std::max<std::int64_t>(held.votes.trust, 0)
                    + which.distrust_price * std::max<std::int64_t>(held.votes.distrust, 0);
    auto& worth = traders_[who].worth;
    worth = worth - wei_change{held.worth} + wei_change{now};
    held.worth = now;
    each = held.votes.trust == 0 && held.votes.distrust == 0 ? which.shares.erase(each) : std::next(each);
  }
}

std::vector<profit_row> profit_board::top(std::int32_t most) {
  for (const auto each : std::exchange(stale_, {}))
    revalue(markets_[each]);
  std::vector<profit_row> out;
  out.reserve(traders_.size());
  for (const auto& [who, each] : traders_)
    out.push_back({who, std::nullopt, each.cash + each.worth});
  const auto kept = std::min(out.size(), static_cast<std::size_t>(most));
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kept), out.end(),
                    [](const profit_row& a, const profit_row& b) {
                      return a.amount != b.amount ? a.amount > b.amount : a.who < b.who;
                    });
  out.resize(kept);
  return out;
}

void xp_board::take(profile_id who, std::int64_t xp) {
  auto& points = points_[who];
  order_.erase({-points, who.value});
  points = xp;
  if (xp > 0)
    order_.insert({-xp, who.value});
  else
    points_.erase(who);
}

std::vector<xp_row> xp_board::top(std::int32_t most) const {
  std::vector<xp_row> out;
  for (const auto& [points, who] : order_) {
    if (out.size() == static_cast<std::size_t>(most))
      break;
    out.push_back({profile_id{who}, std::nullopt, -points});
  }
  return out;
}

} // namespace credence::market
