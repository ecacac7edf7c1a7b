#pragma once

#include "actors/funds/funds_types.hpp"
#include "actors/market/market_types.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

/// From the wire to questions about markets and money. Amounts of wei are decimal strings,
/// also with an `n` behind, or JSON integers.
namespace credence::http::v2 {

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

} // namespace credence::http::v2
