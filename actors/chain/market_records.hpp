#pragma once

#include "actors/chain/chain_types.hpp"
#include "actors/chain/contract_abi.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Rows made of events of markets: those in ether, one a profile, and those in WHUF.
namespace credence::chain {

/// Which trades a market takes. `graduated`: none any more.
enum class market_standing : std::uint8_t { active, sell_only, paused, graduated };
inline constexpr std::array<std::string_view, 4> market_standing_words{"ACTIVE", "SELL_ONLY", "PAUSED", "GRADUATED"};

/// What the arithmetic of those who read mirrored markets can hold. An event beyond that fails.
inline constexpr std::int64_t market_votes_max = 9'007'199'254'740'991; // 2^53 - 1; also of the liquidity
inline const uint256 market_price_max = uint256{1} << 128;
inline const uint256 market_volume_max = uint256{1} << 254;

/// A market of the contract `reputation_market` has the number of its profile, one of `market` a number of its own.
struct market_key {
  contract_kind contract{};
  market_id number;
  friend auto operator<=>(const market_key&, const market_key&) = default;
};

/// What only a market in WHUF has.
struct token_market_terms {
  std::string userkey; // whom it is about, as the event has it
  digest32 userkey_hash{};
  address pricing_contract, trust_token, distrust_token;
  friend bool operator==(const token_market_terms&, const token_market_terms&) = default;
};

struct market_row {
  address creator;
  address recipient;    // of donations
  market_config config; // nothing but zeros of a market in WHUF
  std::optional<token_market_terms> in_tokens;
  uint256 trust, distrust; // votes, or supplies of tokens
  uint256 trust_price, distrust_price;
  uint256 backing;      // of the tokens
  uint256 withdrawn;    // from a market that has graduated
  uint256 bought, sold; // funds of all purchases and sales
  std::int64_t trades = 0, trust_trades = 0, prices = 0;
  market_standing standing{};
  unix_time created_at, updated_at;
  friend bool operator==(const market_row&, const market_row&) = default;
};

/// A trade, by the id of its event. It knows its place in each list of trades that it is in, from 1 on.
struct market_trade_row {
  market_key market;
  address account; // who traded
  bool buys = false, trusts = false;
  uint256 votes, funds;
  std::int64_t number = 0, side_number = 0;                 // of the market's trades, of those of that side
  std::int64_t account_number = 0, account_side_number = 0; // of the account's trades, of those of a side
  uint256 volume_after, bought_after;                       // of the market
  unix_time at;
  friend bool operator==(const market_trade_row&, const market_trade_row&) = default;
};

/// A market's prices from an event on, by the event's id.
struct market_price_row {
  market_key market;
  std::int64_t number = 0; // of the market's prices, from 1 on
  uint256 trust, distrust;
  uint256 trust_price, distrust_price;
  unix_time at;
  friend bool operator==(const market_price_row&, const market_price_row&) = default;
};

struct market_position_key {
  market_key market;
  address account;
  friend auto operator<=>(const market_position_key&, const market_position_key&) = default;
};
struct market_position_row {
  uint256 trust, distrust;
  friend bool operator==(const market_position_row&, const market_position_row&) = default;
};

/// An address on all markets of a contract.
struct market_account_key {
  contract_kind contract{};
  address account;
  friend auto operator<=>(const market_account_key&, const market_account_key&) = default;
};
struct market_account_row {
  uint256 bought, sold; // funds
  uint256 donations;    // that were paid out to it
  std::int64_t trades = 0, trust_trades = 0;
  friend bool operator==(const market_account_row&, const market_account_row&) = default;
};

/// Kinds of markets in ether that may be opened, by their index. Nothing: no event told what is there.
using market_configs = std::vector<std::optional<market_config>>;
inline constexpr std::size_t market_configs_max = 100;
/// The parameter of the contract that holds them: `liquidity/basePrice/creationCost`, with commas between them, `?` for
/// what nobody told.
inline constexpr std::string_view market_configs_parameter = "marketConfigs";
std::string text_of(const market_configs& configs);
/// Nothing in it of what is no such text.
market_configs market_configs_in(std::string_view text);

} // namespace credence::chain
