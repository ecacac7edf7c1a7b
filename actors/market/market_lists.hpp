#pragma once

#include "actors/market/market_types.hpp"

/// Lists over markets and their trades, read from committed rows (facts 1.1).
namespace credence::market {

struct market_page {
  std::vector<market_view> values;
  std::int64_t total = 0; // of text beyond names, as far as a search counts
  page slice;
};

/// Markets whose owner's names, x.com name or description hold the text, whatever its case
/// and accents: those it is the very name of first (see market_finder). Without text all of
/// them, the newest first.
struct search_markets {
  using answer_type = market_page;
  std::string text;
  page slice;
};

/// Markets of these profiles in the order asked; those that are there.
struct get_markets {
  using answer_type = std::vector<market_view>;
  std::vector<profile_id> owners;
  timestamp now{}; // where the last 24 hours end; set by who reads
};

struct price_point {
  timestamp at{};
  wei trust_price;
  wei distrust_price;
};
/// Prices from the market's beginning, oldest first; the newest `most` of them when there
/// are more. Refused with `not_found`.
struct get_prices {
  using answer_type = std::vector<price_point>;
  profile_id market;
  std::int32_t most = 0;
};

struct trade_record {
  std::int64_t id = 0; // its global number
  profile_id market;
  std::optional<credence::address> account; // primary address of who traded
  direction way{};
  vote_side side{};
  std::int64_t votes = 0;
  wei funds;
  timestamp at{};
};
struct trade_list {
  std::vector<trade_record> values; // newest first
  std::int64_t total = 0;
  page slice;
};
/// Trades of one market, refused with `not_found` when there is none.
struct get_market_trades {
  using answer_type = trade_list;
  profile_id market;
  std::optional<vote_side> side;
  page slice;
};
/// Trades of whoever has the address.
struct get_activity {
  using answer_type = trade_list;
  credence::address who;
  std::optional<vote_side> side;
  page slice;
};

struct holding {
  market_view what;
  wei value; // votes at the current price of their side
};
/// What whoever has the address holds, most valuable first.
struct get_holdings {
  using answer_type = std::vector<holding>;
  credence::address who;
  timestamp now{};
};
struct total_volume {
  wei funds;
};
/// All funds of the trades of whoever has the address.
struct get_volume {
  using answer_type = total_volume;
  credence::address who;
};

// -- boards -----------------------------------------------------------------------------

template <class Amount>
struct board_row {
  profile_id who;
  std::optional<credence::address> account; // primary address
  Amount amount = 0;
};
using profit_row = board_row<wei_change>;
using xp_row = board_row<std::int64_t>;

/// Who has gained most: what their votes are worth now and what sales brought, less what
/// purchases cost.
struct get_profit_board {
  using answer_type = std::vector<profit_row>;
  std::int32_t most = 0;
};
/// Who has most XP.
struct get_xp_board {
  using answer_type = std::vector<xp_row>;
  std::int32_t most = 0;
};

// -- loading ------------------------------------------------------------------------------

struct stored_boards {
  struct price {
    profile_id market;
    wei trust_price;
    wei distrust_price;
  };
  struct share {
    profile_id market;
    profile_id who;
    std::int64_t trust = 0;
    std::int64_t distrust = 0;
  };
  struct trader {
    profile_id who;
    wei bought;
    wei sold;
  };
  struct points {
    profile_id who;
    std::int64_t xp = 0;
  };
  std::vector<price> prices;
  std::vector<share> shares;
  std::vector<trader> traders;
  std::vector<points> xp; // of those who have any
  global_seq as_of = 0;
};
struct load_boards {
  bool profit = true; // else points alone
};

/// What a market is found by.
struct named_market {
  profile_id market;
  global_seq opened = 0;
  wei volume;
  std::vector<std::string> names; // its owner's, and those on x.com
  std::string about;
};
struct stored_names {
  std::vector<named_market> markets; // by id
  std::string as_of; // for the next time
};
/// Markets that are new, or whose owners are called something else, since an answer before.
struct load_names {
  std::string since; // its `as_of`; empty: all there are
  profile_id after;
  std::int32_t most = 0;
};

struct load_accounts {
  std::vector<profile_id> whose;
};
/// Primary addresses, in the order asked.
struct stored_accounts {
  std::vector<std::optional<credence::address>> accounts;
};

} // namespace credence::market
