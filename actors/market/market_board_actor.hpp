#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/market/market_storage.hpp"

namespace credence::market {

/// A trade that is committed.
struct trade_happened {
  traded trade;
  global_seq number = 0;
};
/// A market was lost: trades of its last moments may be committed of which `trade_happened` never told.
struct trades_in_doubt {
  market_id market;
};
/// A profile was lost: XP may have moved of which `xp_moved` never told.
struct mark_xp_stale {};
/// What a profile has by XP that has just moved.
struct xp_moved {
  profile_id who;
  std::int64_t xp = 0;
  global_seq as_of = 0;
};

/// Reads lists over markets from committed rows, finds markets by name, and keeps the boards,
/// which a trade or a tip only adds to. Where markets are followed, all but XP is of the markets of the chain.
using market_board_handle =
  actor_handle<search_markets, get_markets, get_prices, get_market_trades, get_activity, get_holdings,
               get_holdings_value, get_volume, get_profit_board, get_xp_board, get_xp_rank, get_moments, get_configs,
               trade_happened, trades_in_doubt, xp_moved, mark_xp_stale>;
struct market_board_door {
  using handle = market_board_handle;
};

market_board_handle spawn_market_board(caf::actor_system& sys, std::shared_ptr<const context> with,
                                       port<storage> storage);

} // namespace credence::market
