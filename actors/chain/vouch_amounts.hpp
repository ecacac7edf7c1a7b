#pragma once

#include "actors/chain/chain_records.hpp"
#include "actors/chain/events.hpp"
#include "actors/score/score_facts.hpp"
#include "config/limits.hpp"

#include <chrono>
#include <cstddef>
#include <string>

/// What events of both contracts of vouches do with amounts, and how many vouches one event may change.
namespace credence::chain {

inline score::day day_of(unix_time at) {
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{at.seconds}});
}

inline bool is_too_much(const wei& amount) { return amount > transfer_wei_max; }
inline constexpr auto vouches_together_max = static_cast<std::size_t>(limits::vouches_each_way_max);
inline event_fate too_many() { return failed_refused("vouches_at_most_" + std::to_string(vouches_together_max)); }
inline event_fate too_much() { return failed_refused("vouch_at_most_10^36_wei"); }

/// From now on the vouch holds so much. What it gains counts from that day, what it loses goes from the newest part on.
inline void set_balance(vouch_row& row, const wei& balance, unix_time at) {
  if (balance > row.balance)
    score::put(row.parts, {balance - row.balance, day_of(at)});
  else if (balance < row.balance)
    score::take(row.parts, row.balance - balance);
  row.balance = balance;
}

} // namespace credence::chain
