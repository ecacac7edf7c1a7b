#include "actors/chain/folding.hpp"

#include <algorithm>
#include <limits>

/// Balances of the token, and rewards.
namespace credence::chain {

namespace {

const uint256& greatest() {
  static const auto out = std::numeric_limits<uint256>::max();
  return out;
}

} // namespace

address token_of(const fold_settings& how) {
  const auto found = std::find_if(how.contracts.begin(), how.contracts.end(),
                                  [](const auto& contract) { return contract.second == contract_kind::whuffie; });
  return found == how.contracts.end() ? address{} : found->first;
}

void folding::note_holder(const address& holder) {
  if (const auto owner = owner_of(holder))
    effects_.profiles.insert(*owner);
}

event_fate folding::on(const whuffie_events::transfer& moved) {
  const auto where = token_of(how_);
  if (moved.from == moved.to || moved.value == 0)
    return {};
  if (moved.from != address{}) { // else it is minted
    const auto* found = rows_.balances.find({moved.from, where});
    auto row = found ? *found : token_row{};
    if (row.balance < moved.value) {
      const uint256 lacking = moved.value - row.balance;
      if (lacking > greatest() - row.missing)
        return failed_refused("balance_at_most_2^256");
      row.missing += lacking;
      row.balance = 0;
    } else
      row.balance -= moved.value;
    rows_.balances.put({moved.from, where}, row);
    note_holder(moved.from);
  }
  if (moved.to != address{}) { // else it is burned
    const auto* found = rows_.balances.find({moved.to, where});
    auto row = found ? *found : token_row{};
    if (moved.value > greatest() - row.balance)
      return failed_refused("balance_at_most_2^256");
    row.balance += moved.value;
    rows_.balances.put({moved.to, where}, row);
    note_holder(moved.to);
  }
  return {};
}

event_fate folding::on(const whuffie_events::transfers_unlocked& unlocked) {
  return set_parameter("transfersUnlockedAt", std::to_string(unlocked.timestamp.seconds));
}

event_fate folding::on(const rewards_events::credited& reward) {
  rows_.rewards.put({reward.user, reward.accruing_contract}, {reward.new_committed_balance});
  return {};
}

event_fate folding::on(const rewards_events::debited& reward) {
  rows_.rewards.put({reward.user, reward.accruing_contract}, {reward.new_committed_balance});
  return {};
}

} // namespace credence::chain
