#pragma once

#include "actors/chain/contract_kind.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/wei.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace credence::wallets {

/// What managed wallets may sign at most. Amounts are wei.
struct signing_bounds {
  std::uint64_t chain_id = 0;
  std::map<chain::contract_kind, address> contracts;                // that may be called
  std::set<std::pair<chain::contract_kind, std::string>> functions; // of these, by selector
  wei value_max;                                                    // that one action sends along
  wei fee_max, priority_fee_max;                                    // for a unit of gas
  wei priority_fee_least{1};                     // that the block's producer gets, also where others pay less
  std::uint64_t gas_max = 0;                     // of one transaction
  std::int32_t signatures_per_day = 0;           // for one wallet, by UTC days
  std::size_t open_max = 16;                     // transactions of one wallet that are in no block yet
  std::chrono::milliseconds stuck_after{60'000}; // then one is replaced by another with a higher fee
  bool sponsoring = false;                       // the funding account pays for gas
  wei sponsored_least;                           // what it sends at least
  wei sponsored_per_day, sponsored_per_wallet;   // that it spends in a UTC day: in all, and on one wallet
};

/// Where an action goes. Refused with `endpoint_disabled` where there is no such contract, `forbidden` for functions
/// that managed wallets do not run, `invalid_amount` for too high a value.
outcome<address> target_of(const contract_action& action, const signing_bounds& within);

/// The begin of the UTC day that counts.
timestamp day_of(timestamp now);

} // namespace credence::wallets
