#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"
#include "actors/market/lmsr.hpp"
#include "actors/market/terms.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Markets of trust and distrust, one a profile; a market is named by that profile. Its
/// arithmetic is in lmsr.hpp.
namespace credence::market {

/// The market of a profile, there or not.
constexpr market_id market_of(profile_id owner) noexcept { return {owner.value}; }
/// Whom a market is about; its donations are theirs.
constexpr profile_id owner_of(market_id market) noexcept { return {market.value}; }

/// From the highest to the lowest risk.
enum class tier : std::uint8_t { high_risk, normal, low_risk };
CREDENCE_WORDS(tier, tier_names, "VOLATILE", "NORMAL", "INSULATED");
inline constexpr std::array<std::string_view, 2> side_names{"trust", "distrust"};

enum class direction : std::uint8_t { buy, sell };
inline constexpr std::array<std::string_view, 2> direction_names{"BUY", "SELL"};

// -- changes ------------------------------------------------------------------

struct market_opened {
  profile_id owner;
  tier kind{};
  curve how;
  wei creation_cost; // stays locked in the market
  timestamp at{};
};

/// A trade. Its global number is what receipts and records name it by.
struct traded {
  market_id market;
  std::int64_t number = 0; // of this market's trades; gapless from 1
  profile_id trader;
  direction way{};
  vote_side side{};
  std::int64_t votes = 0;
  wei cost;         // by the curve: what goes into the pool, or out of it
  wei protocol_fee; // entry or exit fee
  wei donation;     // to the market's owner; buys only
  wei drawn;        // of the locked creation cost: dust that roundings took from the pool
  vote_counts after;
  wei trust_price_after;
  wei distrust_price_after;
  wei volume_after; // all funds that ever changed hands here
  wei bought_after; // those of them that purchases brought
  timestamp at{};

  /// What the trader paid in all, or got.
  wei funds() const { return way == direction::buy ? wei{cost + protocol_fee + donation} : wei{cost - protocol_fee}; }
};

/// An admin froze a market, or let it go on.
struct market_frozen_set {
  market_id market;
  bool frozen = false;
  timestamp at{};
};

// -- questions ----------------------------------------------------------------

/// What is to be traded: so many votes, or (buying) as many as `maximum_cost` pays for.
struct order {
  market_id market;
  direction way{};
  vote_side side{};
  std::optional<std::int64_t> votes;
  std::optional<wei> maximum_cost; // with fees; also a guard when `votes` is set
};

/// What an order would come to now.
struct quote {
  market::order order;
  std::int64_t votes = 0;
  wei cost;
  wei protocol_fee;
  wei donation;
  wei funds;
  wei trust_price;           // after it
  wei distrust_price;        // after it
  std::int64_t sequence = 0; // the market's last trade
};

/// Refused with `not_found`, `market_frozen`, `market_limit_reached`, `trade_too_small`.
struct get_quote {
  using answer_type = quote;
  market::order order;
  market_id addressed_to() const noexcept { return order.market; }
};

struct trade_receipt {
  quote done;
  std::int64_t id = 0; // 0: a dry run
  timestamp at{};
  std::int64_t held = 0;      // votes of that side that the trader has now
  std::optional<wei> balance; // what the trader has now; nothing when that could not be read
};

/// All or nothing. Refused like a quote, and with `insufficient_funds`, `insufficient_votes`,
/// `slippage_exceeded`, `sequence_mismatch` or `deadline_passed`.
struct place_trade {
  static constexpr bool brief = true;
  using answer_type = trade_receipt;
  market::order order;
  profile_id trader;
  std::optional<wei> minimum_proceeds; // after the exit fee
  std::optional<std::int64_t> expected_sequence;
  std::optional<timestamp> deadline;
  bool dry_run = false;
  profile_id addressed_to() const noexcept { return trader; }
};

/// A trade that was made before, with the figures of then and the balance of now.
struct get_trade {
  using answer_type = trade_receipt;
  market_id market;
  profile_id trader;
  std::int64_t trade = 0; // its global number
  profile_id addressed_to() const noexcept { return trader; }
};

/// Whose market it is, as v1 shows it.
struct face {
  std::optional<credence::address> primary_address;
  std::string avatar_url;
  std::int32_t score = 0;
  std::string name;
  std::optional<std::string> x_username;
};

/// A market as everybody may see it (spec: "Market (v1)").
struct market_view {
  market_id id;
  tier kind{};
  curve how;
  wei creation_cost;
  vote_counts votes;
  wei trust_price;
  wei distrust_price;
  timestamp created_at{};
  timestamp updated_at{};
  std::int64_t sequence = 0;
  wei_change market_cap; // paid in less paid out
  wei volume_total;
  wei volume_24h;
  std::int32_t price_change_24h = 0; // whole percent of the trust price, half away from zero
  wei_change cap_change_24h;
  std::int32_t cap_change_percent_24h = 0; // like that of the price; 0 where there was nothing
  face whose;
  std::optional<credence::address> creator{}; // of a market of the chain; any other was made by its owner
  bool graduated = false;                     // a market of the chain that takes no trades any more
  bool frozen = false;                        // an admin froze it: it takes no trades until an admin lets it go on
};

/// Refused with `not_found`.
struct get_market {
  using answer_type = market_view;
  market_id market;
};

/// Refused with `market_exists` or `insufficient_funds`.
struct open_market {
  using answer_type = market_view;
  profile_id owner;
  tier kind{};
  bool dry_run = false; // only decided: the view is empty
  profile_id addressed_to() const noexcept { return owner; }
};

/// Whether a market is frozen, as it is stored.
struct market_freeze {
  bool frozen = false;
};
/// Freezes a market, or lets it go on; where it is so already, nothing is written. A frozen market refuses trades, dry
/// runs and quotes with `market_frozen`, and is read as before. Refused with `not_found`; where markets are followed,
/// with `followed_from_chain`.
struct set_market_frozen {
  using answer_type = market_freeze;
  market_id market;
  bool frozen = false;
};

/// Votes of one side that one profile holds; on a market of the chain, that one address holds.
struct holder {
  profile_id who;                           // 0: the address is nobody's here
  std::optional<credence::address> account; // primary address
  vote_side side{};
  std::int64_t votes = 0;
};
struct holder_page {
  std::vector<holder> values;
  std::int64_t total = 0;
  page slice;
};
/// Most votes first, of one side or both. Refused with `not_found`.
struct get_holders {
  using answer_type = holder_page;
  market_id market;
  page slice;
  std::optional<vote_side> side = {};
};

// -- loading ------------------------------------------------------------------

/// Where the last 24 hours begin: sums up to there, and the trades that are next to fall out.
struct window_entry {
  timestamp at{};
  wei volume_after;
  wei trust_price_after;
  wei bought_after;
};
struct stored_window {
  window_entry before;              // the last trade that is out; else as the market was made
  std::vector<window_entry> within; // the first ones that are in, oldest first
  bool all = true;                  // these are all that are in
  std::int64_t trades = 0;          // of the market, when it was read
};

/// Votes of a market that a profile holds.
struct position {
  profile_id who;
  std::int64_t trust = 0;
  std::int64_t distrust = 0;
};

struct stored_book {
  tier kind{};
  curve how;
  wei creation_cost;
  wei locked; // of the creation cost
  wei pool;
  wei bought;
  wei sold;
  vote_counts votes;
  std::int64_t trades = 0;
  timestamp created_at{};
  timestamp updated_at{};
  bool frozen = false;
};

/// Positions of a market that are read at once, in the order of their holders.
inline constexpr std::int32_t positions_at_once = 5000;

/// A part of a market's positions: those of the holders after `load_positions::after`, also
/// positions that have become empty.
struct stored_positions {
  std::vector<position> positions;
  std::int64_t trades = 0; // of the market, that they include
};
struct load_positions {
  market_id market;
  profile_id after;
  std::int32_t most = 0;
};
/// What one holder has; nothing is a position, too.
struct load_position {
  market_id market;
  profile_id who;
};

/// Nothing in `book` when there is no such market.
struct stored_market {
  std::optional<stored_book> book;
  std::vector<position> positions; // the first `positions_at_once`
  stored_window window;
  face whose;
};
struct load_market {
  market_id market;
  timestamp window_from; // where the last 24 hours begin
};
struct load_window {
  market_id market;
  timestamp from;
};
struct load_face {
  profile_id whose;
};
struct load_trade {
  market_id market;
  profile_id trader;
  std::int64_t trade = 0;
};
struct stored_trade {
  std::optional<traded> found;
  std::int64_t held = 0; // votes of that side that the trader has now
};

/// A market that has just been opened.
stored_book fresh_book(const market_opened& change);
/// What a trader is told of a trade; what is left is how many votes and how much money there is then.
trade_receipt receipt_of(const traded& trade, std::int64_t id);

} // namespace credence::market
