#pragma once

#include "actors/market/market_lists.hpp"
#include "actors/market/market_types.hpp"
#include "actors/market/read_parts.hpp"

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::market {

/// What was a day ago, exactly: a market's volume of the last 24 hours is what it has now
/// less what it had then. Keeps the trades that are next to fall out of the day, up to a
/// bound; when those are used up it has to be loaded again.
class day_window {
public:
  static constexpr std::chrono::hours length{24};
  static constexpr std::size_t kept_max = 1024;

  explicit day_window(stored_window stored)
    : before_(std::move(stored.before)), within_(stored.within.begin(), stored.within.end()), all_(stored.all) {}

  /// A committed trade.
  void add(const traded& trade);
  /// Moves on to what `now` sees. False when that is not known without loading, as when time has gone back.
  bool advance(timestamp now);
  /// As things were a day ago.
  const window_entry& before() const noexcept { return before_; }

private:
  window_entry before_;
  std::deque<window_entry> within_;
  bool all_ = true; // `within_` holds every trade of the day
};

/// Who has gained most by trading. What it counts comes in parts, and trades happen meanwhile. A
/// trade costs what it takes to note it; what the votes of the markets traded since are worth is
/// worked out by whoever looks, a bounded piece at a time.
class profit_board {
public:
  static constexpr std::size_t rows_max = 100;

  /// What to read next; nothing once all is there.
  std::optional<load_boards> next() const;
  void add(const load_boards& query, const stored_boards& part);
  /// A committed trade and its global number; `reading`: a part has been asked for.
  void take(const traded& trade, global_seq number, bool reading);
  /// Trades that are remembered because what they belong to is still being read.
  std::size_t meanwhile() const noexcept { return meanwhile_.size(); }

  /// Begins to work out what was traded so far.
  void begin();
  /// Goes on for so many positions or traders. True when it is done.
  bool work(std::size_t steps);
  /// Positions and traders that the work since `begin` has looked at.
  std::size_t worked() const noexcept { return worked_; }
  /// Highest first, equal ones in the order of their ids, as of the last `begin` whose work is done.
  const std::vector<profit_row>& top() const noexcept { return top_; }

private:
  using share_key = std::pair<market_id, profile_id>;
  struct share {
    profile_id who;
    vote_counts votes{0, 0};
    wei worth; // as far as it is in the trader's `worth`
  };
  struct priced {
    wei trust_price;
    wei distrust_price;
    std::vector<share> shares;
    std::unordered_map<profile_id, std::uint32_t> places; // in `shares`
    bool stale = false;
  };
  struct trader {
    profile_id who;
    wei_change cash; // sold less bought
    wei_change worth;
  };

  priced& stale(market_id market);
  static share& share_of(priced& in, profile_id who);
  trader& trader_of(profile_id who);
  void count_price(const traded& trade);
  void count_share(const traded& trade);
  void count_cash(const traded& trade);
  void revalue(priced& which, std::size_t at);
  void offer(const trader& which);

  read_parts<market_id> prices_read_;
  read_parts<share_key> shares_read_;
  read_parts<profile_id> traders_read_;
  std::vector<std::pair<traded, global_seq>> meanwhile_;

  std::unordered_map<market_id, priced> markets_;
  std::vector<trader> traders_;
  std::unordered_map<profile_id, std::uint32_t> places_; // in `traders_`
  std::vector<market_id> stale_;                         // markets traded since `begin`

  std::vector<market_id> working_; // markets whose positions are worked out
  std::size_t market_at_ = 0;
  std::size_t share_at_ = 0;
  std::size_t trader_at_ = 0;
  std::size_t worked_ = 0;
  std::vector<profit_row> best_; // of the traders looked at so far
  std::vector<profit_row> top_;
};

/// Who has most XP, kept in order. Balances come from several places, each with the number it is as of;
/// the newest counts.
class xp_board {
public:
  /// A balance that has moved.
  void take(profile_id who, std::int64_t xp, global_seq as_of);
  /// A balance that was read.
  void put(profile_id who, std::int64_t xp, global_seq as_of);
  std::vector<xp_row> top(std::int32_t most) const;
  xp_rank rank_of(profile_id who) const;

private:
  struct points {
    std::int64_t xp = 0;
    global_seq as_of = 0;
  };
  std::unordered_map<profile_id, points> points_;
  using place = std::pair<std::int64_t, std::int32_t>; // points negated, then id
  __gnu_pbds::tree<place, __gnu_pbds::null_type, std::less<place>, __gnu_pbds::rb_tree_tag,
                   __gnu_pbds::tree_order_statistics_node_update>
    order_; // of those who have any
};

} // namespace credence::market
