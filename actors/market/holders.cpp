#include "actors/market/holders.hpp"

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

} // namespace credence::market
