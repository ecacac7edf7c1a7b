#pragma once

#include "actors/chain/event_description.hpp"

#include <string>
#include <vector>

/// Events of markets in WHUF.
namespace credence::chain {

/// Which trades a market takes.
enum class market_state : std::uint8_t { active, sell_only, paused };
template <>
inline constexpr std::uint8_t enum_size<market_state> = 3;

namespace market_events {

/// A market in WHUF opened, on whom a userkey names.
struct market_created {
  static constexpr event_name is{contract_kind::market, "MarketCreated"};
  onchain_market market;
  digest32 userkey_hash{};
  address creator;
  address pricing_contract;
  address trust_token;
  address distrust_token;
  std::string userkey;
  static constexpr auto inputs() {
    using self = market_created;
    return field_list{indexed("marketId", &self::market),      indexed("userkeyHash", &self::userkey_hash),
                      indexed("creator", &self::creator),      plain("pricingContract", &self::pricing_contract),
                      plain("trustToken", &self::trust_token), plain("distrustToken", &self::distrust_token),
                      plain("userkey", &self::userkey)};
  }
  friend bool operator==(const market_created&, const market_created&) = default;
};

/// Tokens of a side were bought; the payment includes the fee.
struct position_opened {
  static constexpr event_name is{contract_kind::market, "PositionOpened"};
  onchain_market market;
  address buyer;
  bool is_positive = false;
  uint256 payment_amount;
  uint256 tokens_minted;
  static constexpr auto inputs() {
    using self = position_opened;
    return field_list{indexed("marketId", &self::market), indexed("buyer", &self::buyer),
                      plain("isPositive", &self::is_positive), plain("paymentAmount", &self::payment_amount),
                      plain("tokensMinted", &self::tokens_minted)};
  }
  friend bool operator==(const position_opened&, const position_opened&) = default;
};

/// Tokens of a side were sold.
struct position_closed {
  static constexpr event_name is{contract_kind::market, "PositionClosed"};
  onchain_market market;
  address seller;
  bool is_positive = false;
  uint256 position_token_amount;
  uint256 net_credits_out;
  static constexpr auto inputs() {
    using self = position_closed;
    return field_list{
      indexed("marketId", &self::market), indexed("seller", &self::seller), plain("isPositive", &self::is_positive),
      plain("positionTokenAmount", &self::position_token_amount), plain("netCreditsOut", &self::net_credits_out)};
  }
  friend bool operator==(const position_closed&, const position_closed&) = default;
};

/// Supplies and prices of a market after a trade; 10^18 is a price of one.
struct market_updated {
  static constexpr event_name is{contract_kind::market, "MarketUpdated"};
  onchain_market market;
  uint256 trust_supply;
  uint256 distrust_supply;
  uint256 trust_price;
  uint256 distrust_price;
  uint256 pool_backing;
  static constexpr auto inputs() {
    using self = market_updated;
    return field_list{indexed("marketId", &self::market),
                      plain("trustSupply", &self::trust_supply),
                      plain("distrustSupply", &self::distrust_supply),
                      plain("trustPrice", &self::trust_price),
                      plain("distrustPrice", &self::distrust_price),
                      plain("poolBacking", &self::pool_backing)};
  }
  friend bool operator==(const market_updated&, const market_updated&) = default;
};

/// The contract could not tell supplies and prices after a trade.
struct market_update_failed {
  static constexpr event_name is{contract_kind::market, "MarketUpdateFailed"};
  onchain_market market;
  address pricing_contract;
  bool is_positive = false;
  std::vector<std::byte> reason;
  static constexpr auto inputs() {
    using self = market_update_failed;
    return field_list{indexed("marketId", &self::market), indexed("pricingContract", &self::pricing_contract),
                      plain("isPositive", &self::is_positive), plain("reason", &self::reason)};
  }
  friend bool operator==(const market_update_failed&, const market_update_failed&) = default;
};

/// A market takes all trades, sales only, or none.
struct market_pause_state_updated {
  static constexpr event_name is{contract_kind::market, "MarketPauseStateUpdated"};
  onchain_market market;
  market_state new_state{};
  static constexpr auto inputs() {
    using self = market_pause_state_updated;
    return field_list{indexed("marketId", &self::market), plain("newState", &self::new_state)};
  }
  friend bool operator==(const market_pause_state_updated&, const market_pause_state_updated&) = default;
};

} // namespace market_events

} // namespace credence::chain
