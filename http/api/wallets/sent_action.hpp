#pragma once

#include "actors/chain/apply.hpp"
#include "actors/chain/chain_actor.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/signer_actor.hpp"
#include "http/api/wallets/action_terms.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// Actions that are transactions of the caller's managed wallet.
namespace credence::http {

/// What became of a transaction within the time that the client gave it.
struct sent_action {
  wallets::transaction_receipt receipt;
  bool dry_run = false;
  bool processed = false;                                  // its block is stored, and its texts are read
  std::vector<std::shared_ptr<const chain::event>> events; // once its block is stored
};

/// The first event of that kind, if there is one.
template <class Event>
const Event* event_in(const sent_action& sent) {
  for (const auto& each : sent.events)
    if (const auto* found = get_if<Event>(each.get()))
      return found;
  return nullptr;
}

/// Refuses, with what would help, unless the service has wallets to sign with.
bool has_wallets(call& c);

/// Answers a refusal of the signer, with when to come again where that makes sense.
void refuse_transaction(call& c, const refusal& why);

/// Somebody who waits asks so often whether another transaction has taken the place of theirs.
inline constexpr std::chrono::seconds replacement_looked_for_every{2};

/// What is stored of a transaction, or of the one that has replaced it, as far as it comes in time. `then` goes on with
/// it, and with the order.
template <class Order>
void await_record(call& c, Order& received, const wallets::transaction_receipt& receipt, const action_terms& terms,
                  void (*then)(call&, Order&, const sent_action&)) {
  auto order = std::move(received);
  const auto wait = terms.wait;
  sent_action sent{receipt, terms.dry_run, false, {}};
  bool waits = wait.count() > 0 && !sent.dry_run && c.to().chain && c.wait_longer(wait);
  const auto until = steady_clock::now() + wait;
  while (waits) {
    const auto turn_ends = std::min<steady_time>(until, steady_clock::now() + replacement_looked_for_every);
    const chain::find_transaction question{sent.receipt.hash, wait, false, turn_ends};
    const auto found = co_await c.try_ask(c.to().chain, question);
    const auto* known = found && *found ? &**found : nullptr;
    const bool in_block = known && known->state == chain::transaction_state::processed;
    if (in_block && !known->events.empty()) { // what succeeds has events
      for (const auto& each : known->events)
        if (auto event = chain::event_in(each.event))
          sent.events.push_back(std::move(event));
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
      const chain::await_texts more{sent.receipt.hash, std::max(left, std::chrono::milliseconds{0})};
      const auto texts = co_await c.try_ask(c.to().chain, more);
      sent.processed = texts && *texts && !(*texts)->wanted;
      break;
    }
    if (in_block && known->receipt && !known->receipt->succeeded)
      co_return refuse_transaction(c, wallets::reverted_in(known->receipt->block));
    const wallets::get_transaction look{c.caller()->profile, sent.receipt.id};
    const auto now = co_await c.try_ask(c.to().wallets, look);
    if (now && !*now) // also one that no node takes
      co_return refuse_transaction(c, now->why());
    const bool replaced = now && *now && (*now)->hash != sent.receipt.hash;
    if (replaced)
      sent.receipt = **now;
    const bool turn_is_over =
      known && steady_clock::now() >= turn_ends; // a look that ended early would end early again
    waits = !in_block && (replaced || turn_is_over) && steady_clock::now() < until;
  }
  then(c, order, sent);
}

/// Has the caller's wallet, which is made when it is first needed, send a transaction, and waits for its record as
/// `terms` say.
template <class Order>
void send_action(call& c, Order& received, wallets::contract_action& action, const action_terms& terms,
                 void (*then)(call&, Order&, const sent_action&)) {
  if (!has_wallets(c))
    co_return;
  auto order = std::move(received);
  const auto how = terms;
  wallets::send_transaction question{c.caller()->profile, std::move(action), std::string{c.head().origin},
                                     terms.dry_run};
  auto once_more = question;
  const auto first = co_await c.outcome_of(c.to().wallets, std::move(question));
  if (first) {
    const auto said = *first;
    co_return await_record(c, order, said, how, then);
  }
  if (first.why().code != refusal_code::wallet_not_found || how.dry_run)
    co_return refuse_transaction(c, first.why());
  const wallets::get_wallet first_use{c.caller()->profile, true};
  const auto made = co_await c.outcome_of(c.to().wallets, first_use);
  if (!made)
    co_return refuse_transaction(c, made.why());
  const auto receipt = co_await c.outcome_of(c.to().wallets, std::move(once_more));
  if (!receipt)
    co_return refuse_transaction(c, receipt.why());
  const auto said = *receipt;
  await_record(c, order, said, how, then);
}

/// The same for a request that comes again, after its transaction was stored.
template <class Order>
void find_action(call& c, Order& received, std::int64_t transaction, const action_terms& terms,
                 void (*then)(call&, Order&, const sent_action&)) {
  if (!has_wallets(c))
    co_return;
  auto order = std::move(received);
  const auto how = terms;
  const wallets::get_transaction question{c.caller()->profile, transaction};
  const auto receipt = co_await c.outcome_of(c.to().wallets, question);
  if (!receipt)
    co_return refuse_transaction(c, receipt.why());
  const auto said = *receipt;
  await_record(c, order, said, how, then);
}

} // namespace credence::http
