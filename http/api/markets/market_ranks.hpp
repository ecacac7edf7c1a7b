#pragma once

#include "actors/market/market_types.hpp"
#include "http/api/markets/market_json.hpp"

#include <array>
#include <string_view>
#include <vector>

/// Orders of markets that their figures give.
namespace credence::http {

/// As clients name them, in the order of `market_order`.
enum class market_order : std::uint8_t {
  created_at,
  volume_total,
  market_cap,
  volume_24h,
  trust_ratio,
  distrust_ratio,
  score,
  price_change,
  cap_change,
  score_differential, // of the score, as a share of 2800, over the trust price, as a share of the base price
};
inline constexpr std::array<std::string_view, 10> market_order_names{"createdAt",
                                                                     "volumeTotalWei",
                                                                     "marketCapWei",
                                                                     "volume24hWei",
                                                                     "trustRatio",
                                                                     "distrustRatio",
                                                                     "score",
                                                                     "priceChange24hPercent",
                                                                     "marketCapChange24hPercent",
                                                                     "scoreDifferential"};

/// Puts them in order; equal ones stay as they are.
void rank_markets(std::vector<market::market_view>& views, market_order by, bool ascending);

/// Of some markets, those that stand out: `top-volume`, `undervalued`, `pumping`, `rugging`, `uprising`, as far as
/// there are such.
featured_answer featured_of(const std::vector<market::market_view>& among);

} // namespace credence::http
