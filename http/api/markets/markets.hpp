#pragma once

#include "actors/domain/time.hpp"
#include "actors/funds/funds_types.hpp"
#include "actors/market/market_types.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <array>
#include <chrono>
#include <string_view>
#include <vector>

namespace credence::http {

// Orders of markets that their figures give.

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

/// What a price history may cover, by its name in `window`: the last `moments` moments, `every` apart.
struct price_window {
  std::string_view name;   // `1D`
  std::string_view bucket; // `15 minutes`
  std::chrono::seconds every;
  int moments; // `limits::market_moments_max` at most
};

/// Reads `window`; a day where it is left out. What it refers to lives as long as the program.
const price_window& read_price_window(parameters& from);

/// Reads what names of markets hold: 2 to `limits::search_text_max` characters; empty where it is left out.
std::string read_market_text(parameters& from, std::string_view name);

/// Its moments up to `now`, the oldest first, at multiples of `every`.
std::vector<timestamp> moments_of(const price_window& which, timestamp now);

namespace v2 {

// From the wire to questions about markets and money. Amounts of wei are decimal strings,
// also with an `n` behind, or JSON integers.

/// The member as wei; nothing when it is absent, null or wrong.
std::optional<wei> read_wei(json_body& from, std::string_view name);

/// `action`, `voteType`, and `votes` or (buying) `maximumCost`.
outcome<market::order> read_order(parameters& given, std::string_view market, std::string_view body);
/// The same with the guards `maximumCost` or `minimumProceeds`, `expectedSequence`, `deadline`, and `dryRun` in the
/// query.
outcome<market::place_trade> read_trade(parameters& given, std::string_view market, std::string_view body,
                                        profile_id trader);
/// `{configType}`.
outcome<market::open_market> read_opening(std::string_view body, profile_id owner);
/// `{profileId, amount, reference?}`.
outcome<funds::move_funds> read_transfer(std::string_view body, funds::flow way);

} // namespace v2

} // namespace credence::http
