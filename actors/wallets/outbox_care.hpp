#pragma once

#include "actors/wallets/signing_steps.hpp"

namespace credence::wallets {

/// Looks after what is stored and not done: tells where it is, sends it again, raises the fee of what is stuck, closes
/// gaps. Part of the signer `Self`.
template <class Self>
class outbox_care : public signing_steps<Self> {
protected:
  void look(const followed_outbox& followed) {
    const auto open = this->state_->open();
    if (this->failed_ || looking_ || !this->wallet_.found || open.empty() || this->closed())
      return;
    looking_ = true;
    const auto ids = this->state_->to_ask(followed);
    if (ids.empty())
      return finish_look(followed, std::nullopt);
    std::vector<digest32> hashes;
    for (const auto id : ids)
      hashes.push_back(this->state_->row(id)->hash);
    auto lowest = this->state_->row(open.front())->nonce;
    for (const auto id : open)
      lowest = std::min(lowest, this->state_->row(id)->nonce);
    this->template work<account_view>(
      this->with_->nodes,
      [at = this->wallet_.at, hashes, lowest](node_endpoints& nodes, wallet_keys&) {
        return nodes.look(at, hashes, lowest);
      },
      [this, followed, ids](const account_view& seen) {
        node_view node{seen.nonces, {}};
        for (std::size_t i = 0; i < ids.size() && i < seen.transactions.size(); ++i)
          node.seen.emplace(ids[i], seen.transactions[i]);
        finish_look(followed, std::move(node));
      },
      [this, followed](const std::string& why) {
        ops::log(ops::level::warn, "wallet_node_failed", {{"error", why}});
        finish_look(followed, std::nullopt);
      });
  }

  void finish_look(const followed_outbox& followed, const std::optional<node_view>& node) {
    looking_ = false;
    if (this->failed_)
      return;
    auto todo = this->state_->look(followed, node, this->with_->now());
    if (todo.conflicts)
      this->metrics().conflicts.add();
    this->move(std::move(todo.moves));
    for (const auto id : todo.resend)
      this->send(id);
    if (todo.replace && !raising_)
      raise(*todo.replace);
    if (todo.fill && !raising_)
      fill(*todo.fill);
  }

  /// Signs a stuck one again with a higher fee, under the same number.
  void raise(std::int64_t id) {
    const auto* row = this->state_->row(id);
    if (!row)
      return;
    with_own_quote(row->plan, [this, id](const node_quote& quote, const order_ptr& order) {
      const auto* stuck = this->state_->row(id);
      const auto fees =
        raised_fees(this->state_->highest_fees(id), suggested_fees(quote, this->with_->bounds), this->with_->bounds);
      if (!stuck)
        return false;
      if (!fees)
        return tell_stuck(id, "the bounds allow no higher fee");
      order->cost = {stuck->plan.gas_limit, *fees, cost_at_most(stuck->plan.gas_limit, *fees, stuck->plan.value)};
      if (quote.balance < order->cost.most) // nodes would refuse it
        return tell_stuck(id, "the account lacks " + decimal(wei{order->cost.most - quote.balance})
                                + " wei for a higher fee");
      if (this->state_->exhausted(id))
        tell_stuck(id, "higher fees brought it into no block so far");
      if (const auto whose = stuck->plan.beneficiary) { // promised already; what it costs more counts, too
        const auto before = cost_at_most(stuck->plan.gas_limit, stuck->fees, stuck->plan.value);
        this->budget_.grant(whose, order->cost.most - std::min(order->cost.most, before), this->with_->now());
      }
      order->replaces = id;
      order->nonce = stuck->nonce;
      return true;
    });
  }

  /// Always false: nothing is signed for it now.
  bool tell_stuck(std::int64_t id, const std::string& why) {
    this->metrics().stuck.add();
    ops::log(ops::level::warn, "wallet_transaction_stuck", {{"transaction", id}, {"why", why}});
    return false;
  }

  /// Takes a number that was left out, and that others wait for, with a transaction that does nothing.
  void fill(std::uint64_t nonce) {
    transaction_plan nothing{this->wallet_.at, {}, {}, 0, std::string{kind_of_filler}, {}, {}};
    with_own_quote(std::move(nothing), [this, nonce](const node_quote& quote, const order_ptr& order) {
      const auto cost = this->state_->price(quote, 0);
      if (!cost || quote.balance < cost->most) { // nodes would refuse it
        this->metrics().stuck.add();
        ops::log(ops::level::warn, "nonce_gap_persists",
                 {{"wallet", this->wallet_.id}, {"nonce", static_cast<std::int64_t>(nonce)}});
        return false;
      }
      order->cost = *cost;
      order->plan.gas_limit = cost->gas_limit;
      order->nonce = nonce;
      return true;
    });
  }

  /// Asks for fees, and signs when `complete` has made the order whole.
  template <class Complete>
  void with_own_quote(transaction_plan plan, Complete complete) {
    auto order = std::make_shared<signing_order>();
    order->plan = std::move(plan);
    order->deadline = steady_clock::now() + this->own_timeout;
    order->fixed = true;
    order->answer = [this](const outcome<transaction_receipt>&) { raising_ = false; };
    order->fail = [this](failure) { raising_ = false; };
    raising_ = true;
    ++this->preparing_;
    const planned_call call{this->wallet_.at, order->plan.to, order->plan.value, order->plan.data};
    this->template work<node_quote>(
      this->with_->nodes,
      [call, expected = this->state_->next_nonce({})](node_endpoints& nodes, wallet_keys&) {
        return nodes.quote(call, expected);
      },
      [this, order, complete](const node_quote& quote) {
        if (this->failed_ || !complete(quote, order))
          return this->fail(order, failure::unavailable);
        this->ready_.push_front(order);
        this->sign_next();
      },
      [this, order](const std::string&) { this->fail(order, failure::unavailable); });
  }

private:
  bool looking_ = false;
  bool raising_ = false; // a fee, or filling a gap
};

} // namespace credence::wallets
