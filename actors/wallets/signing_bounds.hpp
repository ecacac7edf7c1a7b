#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/address.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/wei.hpp"
#include "actors/wallets/wallet_node.hpp"
#include "actors/wallets/wallet_types.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace credence::wallets {

/// Whether managed wallets sign anything. The settings say how it stands at the start; operators turn it while the
/// server runs. What was signed before is still sent.
class signing_switch {
public:
  explicit signing_switch(bool is_on) : on_(is_on) {}
  bool on() const noexcept { return on_.load(std::memory_order_acquire); }
  void turn(bool to) noexcept { on_.store(to, std::memory_order_release); }

private:
  std::atomic<bool> on_;
};

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

// What transactions of managed wallets pay (EIP-1559).

/// Gas that a transfer of ether to an account without code needs (Ethereum yellow paper, appendix G).
inline constexpr std::uint64_t gas_of_transfer = 21'000;

/// A transaction's bounds: what is signed, and what it costs at most.
struct transaction_cost {
  std::uint64_t gas_limit = 0;
  gas_fees fees;
  wei most; // with the value
};

/// Fees that bring a transaction into one of the next blocks: twice the base fee, so that it may rise for several
/// blocks, and what others pay on top, or the least that producers of blocks want; within the bounds. Nothing where the
/// bounds do not even cover the next block.
std::optional<gas_fees> suggested_fees(const node_quote& quote, const signing_bounds& within);

/// Fees that replace `before`: both at least a tenth higher, as nodes ask, or as suggested where that is more. Nothing
/// where that is above the bounds.
std::optional<gas_fees> raised_fees(const gas_fees& before, const std::optional<gas_fees>& suggested,
                                    const signing_bounds& within);

/// Gas for a call that needs so much: a quarter more, as the state may change before it runs. Nothing above the bound.
std::optional<std::uint64_t> gas_limit_of(std::uint64_t needed, const signing_bounds& within);

/// What a transaction costs at most. Amounts within the bounds do not overflow.
wei cost_at_most(std::uint64_t gas_limit, const gas_fees& fees, const wei& value);

/// What the funding account spends on whom in a UTC day: what it sends, and the most that sending it may cost.
class gas_budget {
public:
  void restore(std::map<profile_id, wei> granted, timestamp day) {
    granted_ = std::move(granted);
    day_ = day;
  }

  /// Why so much more may not be spent on somebody; nothing where it may.
  std::optional<std::string> refuse(profile_id whose, const wei& amount, timestamp now, const signing_bounds& within) {
    turn(now);
    wei all;
    for (const auto& [who, sum] : granted_)
      all += sum;
    if (granted_[whose] + amount > within.sponsored_per_wallet)
      return "it gets no more gas than that today (UTC)";
    if (all + amount > within.sponsored_per_day)
      return "the budget for the gas of all wallets is spent for today (UTC)";
    return std::nullopt;
  }

  void grant(profile_id whose, const wei& amount, timestamp now) {
    turn(now);
    granted_[whose] += amount;
  }
  void take_back(profile_id whose, const wei& amount) {
    auto& sum = granted_[whose];
    sum -= std::min(sum, amount);
  }

private:
  void turn(timestamp now) {
    if (const auto today = day_of(now); today != std::exchange(day_, today))
      granted_.clear();
  }

  std::map<profile_id, wei> granted_;
  timestamp day_{};
};

} // namespace credence::wallets
