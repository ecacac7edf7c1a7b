#include "actors/wallets/node_endpoints.hpp"

#include "actors/wallets/eip1559.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace credence::wallets {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_pause = 250ms;
constexpr int doublings_max = 6; // 16 s
constexpr int failures_forgiven = 2;
constexpr std::chrono::seconds trial_max = 30s; // somebody tries it meanwhile

} // namespace

bool endpoint_health::may_ask(std::size_t which, steady_time now) {
  const std::lock_guard lock{guard_};
  auto& one = all_[which];
  if (now < one.not_before)
    return false;
  if (one.failures > 0)
    one.not_before = now + trial_max; // until this trial tells
  return true;
}

bool endpoint_health::may_ask_at_need(std::size_t which) {
  const std::lock_guard lock{guard_};
  return all_[which].failures <= failures_forgiven;
}

void endpoint_health::succeeded(std::size_t which) {
  const std::lock_guard lock{guard_};
  all_[which] = {};
}

void endpoint_health::failed(std::size_t which, steady_time now) {
  const std::lock_guard lock{guard_};
  auto& one = all_[which];
  one.not_before = now + first_pause * (1 << std::min(one.failures, doublings_max));
  ++one.failures;
}

node_endpoints::node_endpoints(wallet_nodes nodes, std::shared_ptr<endpoint_health> health, std::uint64_t chain_id)
  : nodes_(std::move(nodes)), health_(std::move(health)), chain_id_(chain_id), checked_(nodes_.size()) {}

void node_endpoints::check_chain(std::size_t which) {
  if (!checked_[which])
    if (const auto id = nodes_[which]->chain_id(); id != chain_id_)
      throw node_failure("the node is of chain " + std::to_string(id) + ", and wallets sign for "
                         + std::to_string(chain_id_));
  checked_[which] = true;
}

void node_endpoints::for_usable(const std::function<bool(std::size_t)>& ask_it) {
  bool asked = false;
  for (const bool at_need : {false, true})
    for (std::size_t i = 0; i < nodes_.size() && !(at_need && asked); ++i)
      if (at_need ? health_->may_ask_at_need(i) : health_->may_ask(i, steady_clock::now())) {
        asked = true;
        if (ask_it(i))
          return;
      }
}

std::size_t node_endpoints::ask(const std::function<void(wallet_node&)>& question) {
  std::string why = "no endpoint of the chain answers at the moment";
  std::optional<std::size_t> by;
  for_usable([&](std::size_t i) {
    try {
      check_chain(i);
      question(*nodes_[i]);
      health_->succeeded(i);
      by = i;
    } catch (const node_refusal& about_it) {
      health_->succeeded(i);
      why = about_it.what();
    } catch (const std::exception& failure) { // whatever it is: a trial that tells nothing would keep the endpoint away
      checked_[i] = false;                    // another node may stand behind the same URL
      health_->failed(i, steady_clock::now());
      why = failure.what();
    }
    return by.has_value();
  });
  return by ? *by : throw node_failure(why);
}

wei node_endpoints::balance(const address& of) {
  wei out;
  ask([&](wallet_node& node) { out = node.balance(of); });
  return out;
}

node_quote node_endpoints::quote(const planned_call& call, std::uint64_t expected) {
  node_quote out;
  const auto by = ask([&](wallet_node& node) { out = node.quote(call); });
  if (std::max(out.nonces.latest, out.nonces.pending) <= expected)
    return out;
  out.nonces = lowest_of(call.from, by, out.nonces);
  return out;
}

nonce_counts node_endpoints::lowest_of(const address& of, std::size_t by, nonce_counts told) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (i == by || !health_->may_ask(i, steady_clock::now()))
      continue;
    try {
      check_chain(i);
      const auto other = nodes_[i]->nonces(of);
      health_->succeeded(i);
      told = {std::min(told.latest, other.latest), std::min(told.pending, other.pending)};
    } catch (const node_failure&) {
      checked_[i] = false;
      health_->failed(i, steady_clock::now());
    }
  }
  return told;
}

std::optional<bool> node_endpoints::known_by(std::span<const std::size_t> nodes, const digest32& transaction) {
  bool all_say = true;
  for (const auto i : nodes)
    try {
      if (nodes_[i]->knows(transaction))
        return true;
    } catch (const node_failure&) {
      all_say = false;
      health_->failed(i, steady_clock::now());
    }
  return all_say ? std::optional{false} : std::nullopt;
}

send_answer node_endpoints::send(const std::string& signed_bytes, bool everywhere) {
  send_answer out{send_result::unclear, "no endpoint of the chain answers at the moment"};
  std::vector<std::size_t> refused;
  bool taken = false, unclear = false;
  for_usable([&](std::size_t i) {
    send_answer answer;
    try {
      check_chain(i);
      answer = nodes_[i]->send(signed_bytes);
    } catch (const node_failure&) { // before it was given the transaction
      checked_[i] = false;
      health_->failed(i, steady_clock::now());
      return false;
    }
    if (answer.answered)
      health_->succeeded(i);
    else
      health_->failed(i, steady_clock::now());
    const bool has_it = answer.result == send_result::taken || answer.result == send_result::already_known;
    const bool is_unclear = answer.result == send_result::unclear;
    unclear |= is_unclear;
    if (!has_it && !is_unclear)
      refused.push_back(i);
    if (!taken && (has_it || !is_unclear || out.result == send_result::unclear))
      out = std::move(answer);
    taken |= has_it;
    return has_it && !everywhere;
  });
  if (taken || refused.empty())
    return out;
  const auto known = unclear ? std::nullopt : known_by(refused, transaction_hash(signed_bytes));
  if (!known)
    out.result = send_result::unclear; // one of them may have taken it
  else if (*known)
    out = {send_result::already_known, {}};
  return out;
}

account_view node_endpoints::look(const address& of, std::span<const digest32> transactions, std::uint64_t lowest) {
  account_view out;
  const auto by = ask([&](wallet_node& node) { out = node.look(of, transactions); });
  const bool all_found = std::all_of(out.transactions.begin(), out.transactions.end(),
                                     [](const auto& each) { return each.block.has_value(); });
  if (out.nonces.latest > lowest && !all_found)
    out.nonces = lowest_of(of, by, out.nonces);
  return out;
}

} // namespace credence::wallets
