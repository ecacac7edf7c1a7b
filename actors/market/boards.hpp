#pragma once

#include "actors/market/market_lists.hpp"

#include <set>
#include <unordered_map>
#include <utility>

namespace credence::market {

/// Who has gained most by trading. A trade costs what it takes to note it; whoever looks pays
/// for working out again what the votes of the markets traded since are worth.
class profit_board {
public:
  profit_board() = default;
  explicit profit_board(const stored_boards& stored);

  void take(const traded& what);
  /// Highest first; equal ones in the order of their ids.
  std::vector<profit_row> top(std::int32_t most);

private:
  struct share {
    vote_counts votes{0, 0};
    wei worth; // as far as it is in the trader's `worth`
  };
  struct priced {
    wei trust_price;
    wei distrust_price;
    std::unordered_map<profile_id, share> shares;
    bool stale = false;
  };
  struct trader {
    wei_change cash; // sold less bought
    wei_change worth;
  };

  void revalue(priced& which);

  std::unordered_map<profile_id, priced> markets_;
  std::unordered_map<profile_id, trader> traders_;
  std::vector<profile_id> stale_;
};

/// Who has most XP, kept in order.
class xp_board {
public:
  void take(profile_id who, std::int64_t xp);
  std::vector<xp_row> top(std::int32_t most) const;

private:
  std::unordered_map<profile_id, std::int64_t> points_;
  std::set<std::pair<std::int64_t, std::int32_t>> order_; // points negated, then id
};

} // namespace credence::market
