#include "http/api/wallets/sent_action.hpp"

#include "actors/chain/chain_actor.hpp"
#include "actors/wallets/failure_reason.hpp"

#include <algorithm>

namespace credence::http {

namespace {

constexpr std::uint32_t ask_again_after_s = 5;

/// Somebody who waits asks so often whether another transaction has taken the place of theirs.
constexpr std::chrono::seconds replacement_looked_for_every{2};

} // namespace

bool has_wallets(call& c) {
  if (c.to().wallets)
    return true;
  c.refuse({refusal_code::embedded_wallet_not_found,
            "this service keeps no wallets for its users: it has no wallets.master_key"});
  return false;
}

void refuse_transaction(call& c, const refusal& why) {
  if (why.code == refusal_code::nonce_conflict)
    c.retry_after(1);
  if (why.code == refusal_code::rate_limited || why.code == refusal_code::blockchain_unavailable)
    c.retry_after(ask_again_after_s);
  c.refuse(why);
}

// `step` is a variable of the handler that waits, so it lasts until that goes on.

void transaction_of::send(call& c, transaction_of& step) {
  if (step.action_ && !*step.action_)
    co_return c.refuse(step.action_->why());
  if (!has_wallets(c))
    co_return;
  const auto who = c.caller()->profile;
  step.sent_.dry_run = step.terms_.dry_run;
  if (step.terms_.done) {
    const wallets::get_transaction question{who, *step.terms_.done};
    const auto receipt = co_await c.outcome_of(c.to().wallets, question);
    if (!receipt)
      co_return refuse_transaction(c, receipt.why());
    step.sent_.receipt = *receipt;
    co_return await_record(c, step);
  }
  for (bool made = step.terms_.dry_run;; made = true) { // what is only tried makes no wallet
    wallets::send_transaction question{who, **step.action_, std::string{c.head().origin}, step.terms_.dry_run};
    const auto receipt = co_await c.outcome_of(c.to().wallets, std::move(question));
    if (receipt) {
      step.sent_.receipt = *receipt;
      co_return await_record(c, step);
    }
    if (made || receipt.why().code != refusal_code::wallet_not_found)
      co_return refuse_transaction(c, receipt.why());
    const wallets::get_wallet first_use{who, true};
    const auto wallet = co_await c.outcome_of(c.to().wallets, first_use);
    if (!wallet)
      co_return refuse_transaction(c, wallet.why());
  }
}

void transaction_of::await_record(call& c, transaction_of& step) {
  auto& sent = step.sent_;
  const auto wait = step.terms_.wait;
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
  step.waiting_.resume();
}

} // namespace credence::http
