#include "actors/wallets/signing_bounds.hpp"

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

} // namespace credence::wallets
