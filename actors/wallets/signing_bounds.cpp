#include "actors/wallets/signing_bounds.hpp"

#include <algorithm>

namespace credence::wallets {

namespace {

constexpr std::size_t selector_bytes = 4;

} // namespace

outcome<address> target_of(const contract_action& action, const signing_bounds& within) {
  const auto found = within.contracts.find(action.contract);
  const std::string name{chain::name_of(action.contract)};
  if (found == within.contracts.end())
    return refusal{refusal_code::endpoint_disabled,
                   "chain.contracts names no contract '" + name + "', so managed wallets cannot do this"};
  if (!within.functions.contains({action.contract, action.data.substr(0, selector_bytes)}))
    return refusal{refusal_code::forbidden, "managed wallets do not run that function of the contract '" + name + "'"};
  if (action.value > within.value_max)
    return refusal{refusal_code::invalid_amount, "the action sends " + decimal(action.value)
                                                   + " wei along, but wallets.value_max_wei allows "
                                                   + decimal(within.value_max)};
  return found->second;
}

timestamp day_of(timestamp now) { return std::chrono::floor<std::chrono::days>(now); }

namespace {

/// Base fees above this are nonsense: 10^18 wei for a unit of gas.
constexpr wei fee_believed_max = wei_per_ether;

/// A tenth more, rounded up, and at least one more.
wei tenth_more(const wei& fee) { return std::max(wei{(fee * 11 + 9) / 10}, wei{fee + 1}); }

} // namespace

std::optional<gas_fees> suggested_fees(const node_quote& quote, const signing_bounds& within) {
  if (quote.base_fee > fee_believed_max)
    return std::nullopt;
  const wei priority = std::min(std::max(quote.priority_fee, within.priority_fee_least),
                                std::min(within.priority_fee_max, within.fee_max));
  if (quote.base_fee + priority > within.fee_max)
    return std::nullopt;
  return gas_fees{std::min(wei{quote.base_fee * 2 + priority}, within.fee_max), priority};
}

std::optional<gas_fees> raised_fees(const gas_fees& before, const std::optional<gas_fees>& suggested,
                                    const signing_bounds& within) {
  gas_fees out{tenth_more(before.most), tenth_more(before.priority)};
  if (suggested) {
    out.most = std::max(out.most, suggested->most);
    out.priority = std::max(out.priority, suggested->priority);
  }
  out.most = std::max(out.most, out.priority);
  if (out.most > within.fee_max || out.priority > within.priority_fee_max)
    return std::nullopt;
  return out;
}

std::optional<std::uint64_t> gas_limit_of(std::uint64_t needed, const signing_bounds& within) {
  if (needed > within.gas_max)
    return std::nullopt;
  return std::min(needed + needed / 4, within.gas_max);
}

wei cost_at_most(std::uint64_t gas_limit, const gas_fees& fees, const wei& value) {
  return fees.most * gas_limit + value;
}

} // namespace credence::wallets
