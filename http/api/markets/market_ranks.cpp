#include "http/api/markets/market_ranks.hpp"

#include "actors/people/people_state.hpp"

#include <algorithm>
#include <optional>

namespace credence::http {

namespace {

using market::market_view;

/// A price as a share of the base price, times 10^18.
wei_change share(const wei& price, const market_view& of) {
  return wei_change{price} * wei_change{market::fixed_unit} / wei_change{of.how.base_price};
}

/// The greater, the higher the market ranks.
wei_change figure(const market_view& of, market_order by) {
  switch (by) {
    case market_order::created_at: return of.created_at.time_since_epoch().count();
    case market_order::volume_total: return wei_change{of.volume_total};
    case market_order::market_cap: return of.market_cap;
    case market_order::volume_24h: return wei_change{of.volume_24h};
    case market_order::trust_ratio: return share(of.trust_price, of);
    case market_order::distrust_ratio: return share(of.distrust_price, of);
    case market_order::score: return of.whose.score;
    case market_order::price_change: return of.price_change_24h;
    case market_order::cap_change: return of.cap_change_percent_24h;
    case market_order::score_differential: break;
  }
  return wei_change{of.whose.score} * wei_change{market::fixed_unit} / 2800 - share(of.trust_price, of);
}

/// The first of those with the greatest figure; nothing unless that is above zero.
std::optional<market_view> highest(const std::vector<market_view>& among, market_order by, bool lowest = false) {
  std::optional<market_view> out;
  wei_change best = 0;
  for (const auto& each : among)
    if (const auto value = lowest ? wei_change{-figure(each, by)} : figure(each, by); value > best) {
      best = value;
      out = each;
    }
  return out;
}

} // namespace

void rank_markets(std::vector<market_view>& views, market_order by, bool ascending) {
  std::stable_sort(views.begin(), views.end(), [=](const market_view& a, const market_view& b) {
    return ascending ? figure(a, by) < figure(b, by) : figure(b, by) < figure(a, by);
  });
}

featured_answer featured_of(const std::vector<market_view>& among) {
  featured_answer out;
  const auto add = [&](std::string_view type, std::optional<market_view> which) {
    if (which)
      out.markets.push_back({type, *std::move(which)});
  };
  add("top-volume", highest(among, market_order::volume_total));
  add("undervalued", highest(among, market_order::score_differential));
  add("pumping", highest(among, market_order::price_change));
  add("rugging", highest(among, market_order::price_change, true));
  add("uprising", highest(among, market_order::cap_change));
  return out;
}

} // namespace credence::http
