#pragma once

#include "actors/domain/hash.hpp"
#include "actors/market/market_types.hpp"

/// Lists over markets and their trades, read from committed rows.
namespace credence::market {

struct market_page {
  std::vector<market_view> values;
  std::int64_t total = 0;
  page slice;
};

/// Markets whose owner's names, x.com name or description hold the text, whatever its case
/// and accents: those it is the very name of first (see market_finder). Without text all of
/// them, the newest first, or those on which most funds changed hands.
struct search_markets {
  using answer_type = market_page;
  std::string text;
  page slice;
  bool busiest_first = false;          // not with `since`
  bool ascending = false;              // without text: the other way round
  bool ranked = false;                 // all of the page are looked at before any is shown
  std::optional<timestamp> since = {}; // only those made then or later
};

/// These markets in the order asked; those that are there.
struct get_markets {
  using answer_type = std::vector<market_view>;
  std::vector<market_id> markets;
  timestamp now{};       // where the last 24 hours end; set by who reads
  bool mirrored = false; // markets of the chain; set by who reads
};

/// The same for a ranking, which looks at many to show a few.
struct get_ranked_markets {
  using answer_type = std::vector<market_view>;
  std::vector<market_id> markets;
  timestamp now{};
  bool mirrored = false;
};

struct price_point {
  timestamp at{};
  wei trust_price;
  wei distrust_price;
};
struct price_list {
  std::vector<price_point> values; // oldest first
  std::int64_t total = 0;
};
/// Prices since the market's beginning: the newest `slice.limit` of them, but for the newest
/// `slice.offset`. Refused with `not_found`.
struct get_prices {
  using answer_type = price_list;
  market_id market;
  page slice;
  bool mirrored = false;
};

/// What a market came to at a moment.
struct market_moment {
  wei trust_price;
  wei distrust_price;
  wei_change market_cap; // paid in less paid out
};
/// How a market stood at each of these moments, in their order: after the last trade up to then; null before it was
/// made. Refused with `not_found`.
struct get_moments {
  using answer_type = std::vector<std::optional<market_moment>>;
  market_id market;
  std::vector<timestamp> when; // `limits::market_moments_max` at most
  bool mirrored = false;
};

struct trade_record {
  std::int64_t id = 0; // its global number
  market_id market;
  std::optional<credence::address> account; // primary address of who traded; of the chain the address that did
  direction way{};
  vote_side side{};
  std::int64_t votes = 0;
  wei funds;
  timestamp at{};
  std::optional<digest32> tx{}; // of the chain
};
struct trade_list {
  std::vector<trade_record> values; // newest first
  std::int64_t total = 0;
  page slice;
};
/// Trades of one market, refused with `not_found` when there is none.
struct get_market_trades {
  using answer_type = trade_list;
  market_id market;
  std::optional<vote_side> side;
  page slice;
  bool mirrored = false;
};
/// Trades of whoever has the address; of the chain those of the address alone, as in the questions below.
struct get_activity {
  using answer_type = trade_list;
  credence::address who;
  std::optional<vote_side> side;
  page slice;
  bool mirrored = false;
};

/// Whether an answer of the readers says that there is no such market.
inline bool is_of_none(const get_prices&, const price_list& found) { return found.total == 0; }
inline bool is_of_none(const get_market_trades&, const trade_list& found) { return found.total < 0; }
inline bool is_of_none(const get_moments& query, const get_moments::answer_type& found) {
  return found.size() != query.when.size();
}
inline bool is_of_none(const auto&, const auto&) { return false; }

struct holding {
  market_view market;
  wei value; // votes at the current price of their side
};
/// What whoever has the address holds, most valuable first.
struct get_holdings {
  using answer_type = std::vector<holding>;
  credence::address who;
  page slice;
  timestamp now{};
  bool mirrored = false;
};
struct holdings_value {
  wei value;
};
/// What all holdings of whoever has the address are worth.
struct get_holdings_value {
  using answer_type = holdings_value;
  credence::address who;
  bool mirrored = false;
};
struct total_volume {
  wei funds;
};
/// All funds of the trades of whoever has the address.
struct get_volume {
  using answer_type = total_volume;
  credence::address who;
  bool mirrored = false;
};

/// Terms of new markets.
struct offered_config {
  std::int64_t index = 0;
  tier kind{};
  wei liquidity;
  wei base_price;
  wei creation_cost;
};
using offered_configs = std::vector<offered_config>;
offered_configs offered_by(const terms& settings);
/// Those of the chain, as far as events told of them.
struct get_configs {
  using answer_type = offered_configs;
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

/// How many have more XP, or as much and a lower id; who has none comes after all who have any.
struct xp_rank {
  std::int64_t ahead = 0;
};
struct get_xp_rank {
  using answer_type = xp_rank;
  profile_id who;
};

// -- loading ------------------------------------------------------------------------------

/// What the boards count is read in parts, each of one snapshot and in the order of its keys, so
/// that no statement grows with what there is.
enum class board_part : std::uint8_t { prices, shares, traders, points };
inline constexpr std::int32_t board_rows_at_once = 5000;

struct stored_boards {
  struct price {
    market_id market;
    wei trust_price;
    wei distrust_price;
  };
  struct share {
    market_id market;
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
  std::vector<share> shares; // also those that have become empty
  std::vector<trader> traders;
  std::vector<points> xp; // also of those who have none left
  global_seq as_of = 0;
};
/// The next `most` rows of a part: after a market (prices), after a market's trader (shares), or
/// after a profile.
struct load_boards {
  board_part part{};
  market_id after_market;
  profile_id after_who;
  std::int32_t most = 0;
};

/// The profit board of the markets of the chain, by addresses.
struct load_mirrored_profits {
  std::int32_t most = 0;
};
/// Who holds votes of a market of the chain, most votes first, `limits::list_depth_max` at most; a total of -1 where
/// there is no such market.
struct load_mirrored_holders {
  market_id market;
  page slice;
  std::optional<vote_side> side = {};
};

/// What a market is found by.
struct named_market {
  market_id market;
  timestamp created_at{};
  wei volume;
  std::vector<std::string> names; // its owner's, and those on x.com
  std::string about;
};
struct stored_names {
  std::vector<named_market> markets; // by id
  std::string as_of;                 // for the next time
  std::int64_t taken_back = 0;       // how often blocks of the chain were, and markets with them
};
/// Markets that are new, or whose owners are called something else, since an answer before.
struct load_names {
  std::string since; // its `as_of`; empty: all there are
  market_id after;
  std::int32_t most = 0;
  bool mirrored = false;
};

struct load_accounts {
  std::vector<profile_id> whose;
};
/// Primary addresses, in the order asked.
struct stored_accounts {
  std::vector<std::optional<credence::address>> accounts;
};

} // namespace credence::market
