#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/kernel/figure.hpp"
#include "actors/market/boards.hpp"
#include "actors/market/market_types.hpp"
#include "actors/market/read_parts.hpp"

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include <array>
#include <compare>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::market {

/// Who holds votes of a market, kept in order: a trade costs what it takes to move one holder,
/// a page what it carries. Positions come in parts; trades are counted meanwhile.
class holder_list {
public:
  /// The positions after those before; `last` when there are no more.
  void add(const stored_positions& part, bool last);
  /// A committed trade.
  void take(const traded& trade);

  /// Whether all positions have come.
  bool complete() const noexcept { return parts_.complete(); }
  /// Positions that are here: of those who hold votes of both sides, two.
  std::size_t size() const noexcept { return order_.size(); }
  /// Where the next part begins.
  profile_id after() const { return parts_.after(); }
  /// Most votes first, of one side or both; accounts are left out.
  holder_page page_of(const page& slice, std::optional<vote_side> side = {}) const;

private:
  struct rank {
    std::int64_t votes_negated = 0;
    std::int32_t who = 0;
    vote_side side{};
    auto operator<=>(const rank&) const = default;
  };
  using order = __gnu_pbds::tree<rank, __gnu_pbds::null_type, std::less<rank>, __gnu_pbds::rb_tree_tag,
                                 __gnu_pbds::tree_order_statistics_node_update>;

  void count(const traded& trade);
  void set(profile_id who, vote_side side, std::int64_t& held, std::int64_t votes);

  read_parts<profile_id> parts_;
  std::unordered_map<profile_id, vote_counts> votes_;
  order order_;
  std::array<order, 2> of_side_;  // the same of one side, by its place among the sides
  std::vector<traded> meanwhile_; // of holders who are still to come; the next part that is asked for has them
};

/// One market: votes, pool and positions. Trades build on each other before they are
/// committed, so what is decided on (`head`) runs ahead of what is shown (`committed`).
///
/// Every wei of the pool came in by a purchase. Selling every vote back takes out what the
/// purchases brought in, but for roundings: the reference rounds the price of trust down and of
/// distrust up, whichever way it goes, so a trade may cost the market less than one wei.
/// That comes out of the creation cost, which is locked in the market for good.
class market_state {
public:
  /// A market as it lies in the database; `positions` are the first `positions_at_once`, or all.
  market_state(market_id id, stored_book book, const std::vector<position>& positions, stored_window window);

  /// Whether it is known what the trader holds. A market may have more holders than are read with it,
  /// so others are read when they trade.
  bool knows(profile_id who) const { return all_known_ || holdings_.contains(who); }
  /// Takes in the position of a trader that was not read with the market.
  void learn(const position& stored);

  /// Refuses what the order, the guards or the money do not allow; else what would happen. The
  /// trader has to be known.
  outcome<traded> decide(const place_trade& command, const wei& funds, const fees& rates, timestamp now) const;
  outcome<quote> decide(const get_quote& query, const fees& rates) const;
  /// Nothing where the market is so already.
  std::optional<market_frozen_set> decide(const set_market_frozen& command, timestamp now) const;
  void apply(const traded& change);
  void apply(const market_frozen_set& change) { head_.frozen = change.frozen; }
  /// It is in the database.
  void commit(const traded& change);
  void commit(const market_frozen_set& change) { committed_.frozen = change.frozen; }
  /// Nothing of what was applied and not committed will be.
  void take_back();

  /// What is left to do for `view`: false when a day ago is not known without loading.
  bool look_back(timestamp now) { return window_.advance(now); }
  void look_back(stored_window window, timestamp now);
  market_view view(const face& whose) const;
  /// Who holds how many votes. Not complete before all positions were added to it.
  holder_list& holders() noexcept { return holders_; }
  std::int64_t held(profile_id who, vote_side side) const;

  /// What is here, for operators: committed figures, and how many trades build on them.
  std::vector<figure> in_memory() const;

private:
  struct figures {
    lmsr_point at;
    std::int64_t number = 0;
    wei pool;
    wei locked;
    wei bought;
    wei sold;
    timestamp updated_at{};
    bool frozen = false;
  };
  struct share_held {
    vote_counts now{0, 0}; // as `head`
    vote_counts committed{0, 0};
  };

  outcome<quote> work_out(const figures& basis, const order& order, const wei* funds, const fees& rates) const;
  outcome<quote> buy(const figures& basis, const order& order, const wei* funds, const fees& rates) const;
  outcome<quote> sell(const figures& basis, const order& order, const fees& rates) const;
  static quote before_fees(const figures& basis, const order& order, std::int64_t votes, const lmsr_point& next);
  static void move(figures& to, const traded& change, const lmsr_point& at);
  std::int64_t held_now(profile_id who, vote_side side) const;

  market_id id_;
  tier kind_{};
  curve how_;
  wei creation_cost_;
  timestamp created_at_{};
  figures committed_;
  figures head_;
  std::unordered_map<profile_id, share_held> holdings_;
  std::deque<std::pair<traded, lmsr_point>> under_way_;
  bool all_known_ = false; // who is not in `holdings_` has nothing
  holder_list holders_;
  day_window window_;
};

/// How much `now` is above `then`, in whole percent, half away from zero; as far as that
/// fits 32 bits.
std::int32_t percent_change(const wei& then, const wei& now);
/// The same of what was paid in less what was paid out, which without fees may be some wei below zero.
std::int32_t cap_percent_change(const wei_change& then, const wei_change& now);
/// What was paid in less what was paid out, of what purchases brought and of all that changed hands.
inline wei_change cap_of(const wei& bought, const wei& volume) { return wei_change{bought} * 2 - wei_change{volume}; }

} // namespace credence::market
