#pragma once

#include "actors/wallets/signer_types.hpp"
#include "actors/wallets/signing_bounds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace credence::wallets {

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
