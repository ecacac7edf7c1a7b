#include "http/commands/wallet_signing.hpp"

#include "actors/wallets/action_calls.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "http/outside/wallet_rpc_node.hpp"
#include "ops/chain_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace credence::commands {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t work_waiting_max = 4096; // pieces of work for all threads of a kind
constexpr std::uint32_t balance_threads = 2;
constexpr std::size_t exports_waiting_max = 8; // of keys, a second each

wei amount_of(const std::string& text) { return parse_wei(text).value_or(0); }

} // namespace

wallets::signing_bounds signing_bounds_of(const settings::all& with) {
  const auto& given = with.wallet_signing;
  wallets::signing_bounds out;
  out.chain_id = with.chain.id;
  for (const auto& [where, kind] : http::contracts_of(with.chain))
    out.contracts.emplace(kind, where);
  if (const auto calls = wallets::action_calls::from(with.wallet_functions))
    for (const auto& each : calls->allowed())
      out.functions.emplace(each.contract, each.selector);
  out.value_max = amount_of(given.value_max_wei);
  out.fee_max = amount_of(given.fee_max_wei);
  out.priority_fee_max = amount_of(given.priority_fee_max_wei);
  out.priority_fee_least = amount_of(given.priority_fee_least_wei);
  out.gas_max = given.gas_max;
  out.signatures_per_day = static_cast<std::int32_t>(given.signatures_per_day);
  out.open_max = given.in_flight_max;
  out.stuck_after = given.stuck_after;
  out.sponsoring = given.sponsor;
  out.sponsored_least = amount_of(given.sponsor_least_wei);
  out.sponsored_per_day = amount_of(given.sponsor_per_day_wei);
  out.sponsored_per_wallet = amount_of(given.sponsor_per_wallet_wei);
  return out;
}

std::vector<std::string> signing_mistakes(const settings::all& with) {
  std::vector<std::string> out;
  const auto bounds = signing_bounds_of(with);
  if (bounds.priority_fee_max > bounds.fee_max)
    out.push_back("wallets.priority_fee_max_wei is " + decimal(bounds.priority_fee_max)
                  + ", but must be at most wallets.fee_max_wei, " + decimal(bounds.fee_max));
  if (bounds.priority_fee_least > bounds.priority_fee_max)
    out.push_back("wallets.priority_fee_least_wei is " + decimal(bounds.priority_fee_least)
                  + ", but must be at most wallets.priority_fee_max_wei, " + decimal(bounds.priority_fee_max));
  if (bounds.sponsored_least > bounds.sponsored_per_wallet || bounds.sponsored_per_wallet > bounds.sponsored_per_day)
    out.push_back("wallets.sponsor_least_wei, wallets.sponsor_per_wallet_wei and wallets.sponsor_per_day_wei must each "
                  "be at most the next one");
  return out;
}

wallets::wallet_handle spawn_wallets(caf::actor_system& sys, const context& shared, const wallet_storages& stored,
                                     const settings::all& with, const std::shared_ptr<wallets::wallet_keys>& keys,
                                     const wallets::signing_switch& may_sign, const std::atomic<bool>& given_up) {
  const auto& given = with.wallet_signing;
  const auto endpoints = http::endpoint_urls(with.chain).size();
  const auto health = std::make_shared<wallets::endpoint_health>(endpoints);
  const auto threads = [&](std::uint32_t count, bool with_nodes, std::size_t waiting_max = work_waiting_max) {
    std::vector<wallets::worker_tools> tools;
    for (std::uint32_t i = 0; i < count; ++i) {
      auto nodes =
        with_nodes ? http::wallet_nodes_of(with.chain, given.node_timeout, given_up) : wallets::wallet_nodes{};
      tools.push_back({std::make_shared<wallets::node_endpoints>(std::move(nodes), health, with.chain.id), keys});
    }
    return wallets::spawn_wallet_workers(sys, std::move(tools), waiting_max);
  };
  auto born_with = std::make_shared<wallets::signing_context>();
  static_cast<context&>(*born_with) = shared;
  born_with->bounds = signing_bounds_of(with);
  if (auto reverts = wallets::revert_reader::knowing(with.wallet_functions.errors))
    born_with->reverts = *std::move(reverts);
  born_with->may_sign = &may_sign;
  born_with->nodes = threads(given.node_threads, true);
  born_with->keys = threads(given.key_threads, false);
  born_with->balances = threads(balance_threads, true);
  born_with->exports = threads(1, false, exports_waiting_max);
  born_with->wallets = stored.wallets;
  born_with->look_every = std::clamp<std::chrono::milliseconds>(with.chain.poll, 250ms, 2000ms);
  ops::the_wallet_metrics().on.set(1);
  ops::the_wallet_metrics().signing.set(may_sign.on() ? 1 : 0);
  return wallets::spawn_signers(sys, std::move(born_with), stored.outbox);
}

} // namespace credence::commands
