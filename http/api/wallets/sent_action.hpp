#pragma once

#include "actors/chain/apply.hpp"
#include "actors/domain/hash.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/wallets/signer_actor.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/identity.hpp"
#include "http/call/request_head.hpp"

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Actions that are transactions of the caller's managed wallet.
namespace credence::http {

/// What a request says besides what is to be done.
struct action_terms {
  bool dry_run = false;
  std::chrono::seconds wait{0}; // for the record of the transaction; it is here at once where there is no chain
  std::optional<std::int64_t> done = {}; // of a request that comes again: the transaction or record that it made
};

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

/// `co_await`ed, has the caller's wallet, which is made when it is first needed, send a transaction, and gives what is
/// stored of it, or of the one that has replaced it, as far as that comes in time. `decide()` says what to send; it is
/// not called for a request that comes again, whose transaction is found, whatever would be decided now. A refusal
/// answers the client instead, that of `decide` before all others. It is a variable of the handler that waits.
class [[nodiscard]] transaction_of {
public:
  template <class Decide>
  transaction_of(call& c, const action_terms& terms, Decide decide) : call_(c), terms_(terms) {
    if (!terms.done)
      action_ = outcome<wallets::contract_action>{decide()};
  }
  transaction_of(const transaction_of&) = delete;
  transaction_of& operator=(const transaction_of&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    send(call_, *this);
  }
  sent_action await_resume() { return std::move(sent_); }

private:
  static void send(call& c, transaction_of& step);
  static void await_record(call& c, transaction_of& step);

  call& call_;
  action_terms terms_;
  std::optional<outcome<wallets::contract_action>> action_; // nothing: the request comes again
  sent_action sent_;
  std::coroutine_handle<> waiting_;
};

/// Refuses, with what would help, unless the service has wallets to sign with.
bool has_wallets(call& c);

/// Answers a refusal of the signer, with when to come again where that makes sense.
void refuse_transaction(call& c, const refusal& why);

/// Goes on with `then` where the user has let pages of the origin act that asks.
template <class Order>
void once_allowed(call& c, Order& received, void (*then)(call&, Order&)) {
  auto order = std::move(received);
  if (!c.identity().partners.act)
    co_return c.refuse({refusal_code::endpoint_disabled, "this service lets no partner act at the moment"});
  profile::check_partner question{c.caller()->profile, std::string{c.head().origin}};
  co_await c.ask(c.to().profiles, std::move(question));
  then(c, order);
}

} // namespace credence::http
