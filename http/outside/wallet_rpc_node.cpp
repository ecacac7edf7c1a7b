#include "http/outside/wallet_rpc_node.hpp"

#include "actors/domain/text.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "http/outside/outside_url.hpp"

#include <string_view>
#include <utility>

namespace credence::http {

namespace {

using wallets::send_result;

struct phrase {
  std::string_view part; // of a message, in small letters
  send_result means;
};

/// The first one that a message holds counts, so the more exact ones come first.
constexpr phrase phrases[]{
  {"already known", send_result::already_known},    // geth, reth
  {"alreadyknown", send_result::already_known},     // Nethermind, Erigon
  {"already imported", send_result::already_known}, // anvil
  {"already in mempool", send_result::already_known},
  {"unknown transaction", send_result::refused},     // of a type that it does not know
  {"known transaction", send_result::already_known}, // old geth, Besu
  {"duplicate transaction", send_result::already_known},
  {"nonce too low", send_result::nonce_too_low}, // geth, reth, Besu, anvil
  {"nonce is too low", send_result::nonce_too_low},
  {"nonce has already been used", send_result::nonce_too_low},
  {"oldnonce", send_result::nonce_too_low}, // Nethermind
  {"replacement transaction underpriced", send_result::replacement_underpriced},
  {"replacementnotallowed", send_result::replacement_underpriced},      // Nethermind
  {"could not replace existing", send_result::replacement_underpriced}, // Erigon
  {"insufficient funds", send_result::insufficient_funds},
  {"insufficientfunds", send_result::insufficient_funds}, // Nethermind
  {"insufficient balance", send_result::insufficient_funds},
  {"upfront cost exceeds", send_result::insufficient_funds}, // Besu
  {"doesn't have enough funds", send_result::insufficient_funds},
  {"underpriced", send_result::underpriced},
  {"feetoolow", send_result::underpriced}, // Nethermind
  {"less than block base fee", send_result::underpriced},
  {"gas price too low", send_result::underpriced},
  {"below current minimum", send_result::underpriced},
  {"gas price below", send_result::underpriced},
  {"intrinsic gas too low", send_result::refused},
  {"exceeds block gas limit", send_result::refused},
  {"exceeds the configured cap", send_result::refused},
  {"oversized data", send_result::refused},
  {"invalid sender", send_result::refused},
  {"invalid chain id", send_result::refused},
  {"invalid signature", send_result::refused},
  {"type not supported", send_result::refused},
};

} // namespace

send_result result_of(const rpc_error& error) {
  const auto text = lower_case(error.message);
  for (const auto& each : phrases)
    if (text.find(each.part) != std::string::npos)
      return each.means;
  return send_result::unclear;
}

namespace {

using wallets::node_failure;

constexpr std::size_t answer_bytes_max = 4 * 1024 * 1024;

std::string error_text(const rpc_error& error) {
  return "the node answered error " + std::to_string(error.code) + ": " + error.message;
}
[[noreturn]] void fail(const rpc_error& error) { throw node_failure(error_text(error)); }

/// The value of an answer that has to be one.
template <class T>
T value_of(rpc_answer& answer) {
  if (const auto* error = std::get_if<rpc_error>(&answer))
    fail(*error);
  if (const auto* flaw = std::get_if<rpc_flaw>(&answer))
    throw node_failure("the node's answer makes no sense: " + flaw->why);
  auto* value = std::get_if<rpc_value>(&answer);
  if (auto* found = value ? std::get_if<T>(value) : nullptr)
    return std::move(*found);
  throw node_failure("the node left a request out");
}
/// The same, where there may be nothing.
template <class T>
std::optional<T> value_if_any(rpc_answer& answer) {
  if (const auto* value = std::get_if<rpc_value>(&answer); value && std::holds_alternative<rpc_nothing>(*value))
    return std::nullopt;
  return value_of<T>(answer);
}

bool missing(const rpc_answer& answer) { return std::holds_alternative<rpc_missing>(answer); }

/// Whether an error tells how the call ended. A contract may say anything, also what providers say of too many
/// requests.
bool about_the_call(const rpc_error& error) {
  return error.code == 3 || !error.data.empty() || lower_case(error.message).find("revert") != std::string::npos
         || result_of(error) == wallets::send_result::insufficient_funds
         || error.message.find("gas required exceeds") != std::string::npos;
}

/// A node that does not run the call says why; one that could not try refuses.
void take_gas(rpc_answer& answer, wallets::node_quote& to) {
  const auto* error = std::get_if<rpc_error>(&answer);
  if (!error) {
    to.gas = value_of<std::uint64_t>(answer);
    return;
  }
  if (!about_the_call(*error)) {
    if (trouble_of(*error) == rpc_trouble::rate_limited)
      fail(*error);
    throw wallets::node_refusal(error_text(*error));
  }
  to.revert = error->data;
  to.why = error->message;
}

} // namespace

wallet_rpc_node::wallet_rpc_node(std::string url, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up)
  : url_(std::move(url)), asking_({.timeout = timeout,
                                   .body_bytes_max = answer_bytes_max,
                                   .by_proxy = is_secure_url(url_),
                                   .given_up = &given_up}) {}

std::vector<rpc_answer> wallet_rpc_node::post(std::span<const rpc_request> requests) try {
  const auto first_id = last_id_ + 1;
  last_id_ += requests.size();
  const auto answer = asking_.post(url_, rpc_body(requests, first_id));
  if (answer.status == 429)
    throw node_failure("the node answered 429");
  auto read = read_rpc(answer.body, requests, first_id);
  if (const auto* flaw = std::get_if<rpc_flaw>(&read))
    throw node_failure("the node answered " + std::to_string(answer.status) + ", and " + flaw->why);
  if (const auto* error = std::get_if<rpc_error>(&read))
    return {*error};
  return std::get<std::vector<rpc_answer>>(std::move(read));
} catch (const client_error& error) {
  throw node_failure(error.what());
}

std::vector<rpc_answer> wallet_rpc_node::ask(std::span<const rpc_request> requests) {
  auto out = post(requests);
  if (out.size() != requests.size()) { // one error for all
    if (trouble_of(std::get<rpc_error>(out.front())) == rpc_trouble::rate_limited)
      fail(std::get<rpc_error>(out.front()));
    out.assign(requests.size(), rpc_missing{});
  }
  for (std::size_t i = 0; i < out.size() && requests.size() > 1; ++i)
    if (missing(out[i]))
      out[i] = post(requests.subspan(i, 1)).front();
  return out;
}

std::uint64_t wallet_rpc_node::chain_id() {
  const rpc_request request = ask_chain_id{};
  return value_of<std::uint64_t>(ask(std::span{&request, 1}).front());
}

wallets::nonce_counts wallet_rpc_node::nonces(const address& of) {
  const rpc_request both[]{ask_nonce{of, block_tag::latest}, ask_nonce{of, block_tag::pending}};
  auto found = ask(both);
  return {value_of<std::uint64_t>(found[0]), value_of<std::uint64_t>(found[1])};
}

wei wallet_rpc_node::balance(const address& of) {
  const rpc_request request = ask_balance{of};
  return value_of<wei>(ask(std::span{&request, 1}).front());
}

wallets::node_quote wallet_rpc_node::quote(const wallets::planned_call& call) {
  const rpc_request all[]{ask_nonce{call.from, block_tag::latest}, ask_nonce{call.from, block_tag::pending},
                          ask_balance{call.from}, ask_fee_history{},
                          ask_gas{call.from, call.to, call.value, call.data}};
  auto found = ask(all);
  wallets::node_quote out;
  out.nonces = {value_of<std::uint64_t>(found[0]), value_of<std::uint64_t>(found[1])};
  out.balance = value_of<wei>(found[2]);
  const auto fees = value_of<fee_history>(found[3]);
  out.base_fee = fees.base_fee;
  out.priority_fee = fees.priority;
  take_gas(found[4], out);
  return out;
}

wallets::send_answer wallet_rpc_node::send(const std::string& signed_bytes) noexcept try {
  const rpc_request request = ask_send{signed_bytes};
  const auto answer = post(std::span{&request, 1}).front();
  if (const auto* error = std::get_if<rpc_error>(&answer))
    return {result_of(*error), error->message, trouble_of(*error) != rpc_trouble::rate_limited};
  const auto* value = std::get_if<rpc_value>(&answer);
  const bool taken = value && std::holds_alternative<digest32>(*value);
  return {taken ? wallets::send_result::taken : wallets::send_result::unclear,
          taken ? "" : "the node's answer makes no sense", taken};
} catch (const std::exception& failure) {
  return {wallets::send_result::unclear, failure.what()};
}

bool wallet_rpc_node::knows(const digest32& transaction) {
  const rpc_request request = ask_transaction{transaction};
  return value_if_any<known_transaction>(ask(std::span{&request, 1}).front()).has_value();
}

wallets::account_view wallet_rpc_node::look(const address& of, std::span<const digest32> transactions) {
  std::vector<rpc_request> requests{ask_nonce{of, block_tag::latest}, ask_nonce{of, block_tag::pending}};
  for (const auto& each : transactions) {
    requests.emplace_back(ask_transaction{each});
    requests.emplace_back(ask_receipt{each});
  }
  auto found = ask(requests);
  wallets::account_view out{{value_of<std::uint64_t>(found[0]), value_of<std::uint64_t>(found[1])}, {}};
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const auto known = value_if_any<known_transaction>(found[2 + 2 * i]);
    const auto receipt = value_if_any<chain::tx_receipt>(found[3 + 2 * i]);
    wallets::seen_transaction seen{known.has_value() || receipt.has_value(), std::nullopt, false};
    if (receipt) {
      seen.block = receipt->block;
      seen.succeeded = receipt->succeeded;
    }
    out.transactions.push_back(seen);
  }
  return out;
}

std::vector<std::unique_ptr<wallets::wallet_node>>
wallet_nodes_of(const settings::chain& with, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up) {
  std::vector<std::unique_ptr<wallets::wallet_node>> out;
  for (auto& each : endpoint_urls(with))
    out.push_back(std::make_unique<wallet_rpc_node>(std::move(each), timeout, given_up));
  return out;
}

} // namespace credence::http
