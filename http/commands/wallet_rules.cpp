#include "http/commands/wallet_rules.hpp"

#include "http/commands/command.hpp"
#include "http/outside/chain_rpc_node.hpp"

#include <utility>

namespace credence::commands {

std::optional<http::wallet_rules> wallet_rules_of(const settings::all& with) {
  if (!with.chain.on())
    return std::nullopt;
  auto calls = wallets::action_calls::from(with.wallet_functions);
  if (!calls) {
    std::string mistakes;
    for (const auto& each : calls.why())
      mistakes += (mistakes.empty() ? "" : "; ") + each;
    throw ending{usage, mistakes};
  }
  const auto follow = http::follow_settings_of(with.chain);
  std::map<chain::contract_kind, address> contracts;
  for (const auto& [at, kind] : follow.contracts)
    contracts.emplace(kind, at);
  return http::wallet_rules{follow.kinds, *std::move(calls), std::move(contracts), follow.id_offset};
}

} // namespace credence::commands
