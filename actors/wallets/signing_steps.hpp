#pragma once

#include "actors/wallets/eip1559.hpp"
#include "actors/wallets/gas_budget.hpp"
#include "actors/wallets/harmless_text.hpp"
#include "actors/wallets/signer_family.hpp"
#include "actors/wallets/signer_state.hpp"
#include "actors/wallets/signing_order.hpp"
#include "ops/log.hpp"
#include "ops/wallet_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace credence::wallets {

/// The way of a transaction: a node's quote, the signature, the database, a node. Nothing is
/// given to a node before it is stored. Part of the signer `Self`.
template <class Self>
class signing_steps : public writing_entity_actor<Self, signers, signing_context> {
  using base = writing_entity_actor<Self, signers, signing_context>;

public:
  using base::on;

  void load() {
    state_.emplace(this->with_->bounds);
    this->storage_.read(*this, load_wallet{this->id_})
      .await(
        [this](const stored_wallet& found) {
          wallet_ = found;
          load_rows();
        },
        [this](failure) { this->self().start_afresh(); });
  }

  void on(const write_outcome& outcome) {
    const auto verdict = making_.on_outcome(outcome);
    if (verdict != pending_writes::verdict::goes_on)
      making_.lose_all(failure::unavailable);
    if (verdict == pending_writes::verdict::refused) // the row is another one than in memory
      this->self().start_afresh();
    base::on(outcome);
  }

  /// What was written of moves is in memory already: it is read again.
  void take_back() {
    if (std::exchange(moves_under_way_, 0) > 0 && !this->failed_) {
      this->ask_for_another_life();
      give_up();
    }
  }
  void start_afresh() {
    this->ask_for_another_life();
    take_back();
    this->lose_writes();
    give_up();
    this->leave_when_done();
  }
  /// Also one that failed stays until threads have brought back what they were given: only then are orders that they
  /// held answered. The bounds of time of nodes and keys end that.
  bool at_rest() const noexcept { return working_ == 0 && making_.empty() && (this->failed_ || preparing_ == 0); }

protected:
  static constexpr std::size_t text_max = 300; // of what a node says
  /// A signature that comes later than so long before its deadline is thrown away.
  static constexpr std::chrono::milliseconds time_to_store{100};
  /// Time for what nobody waits for.
  static constexpr std::chrono::seconds own_timeout{60};

  static ops::wallet_metrics& metrics() { return ops::the_wallet_metrics(); }

  std::optional<refusal> closed_by_switch() const {
    if (this->with_->may_sign->on())
      return std::nullopt;
    return refusal{refusal_code::endpoint_disabled, "managed wallets are switched off on this server"};
  }

  /// Runs `run(nodes, keys)` on a thread that may block; `then` takes its result, `failed` a text for the log.
  template <class Result, class Run, class Then, class Failed>
  void work(const wallet_workers_handle& who, Run run, Then then, Failed failed) {
    ++working_;
    blocking_work order{[run = std::move(run)](node_endpoints& nodes, wallet_keys& keys) -> std::shared_ptr<void> {
      return std::make_shared<Result>(run(nodes, keys));
    }};
    this->request(who, for_ever, std::move(order))
      .then(
        [this, then, failed](work_done& done) mutable {
          --working_;
          if (done.result)
            then(*static_cast<Result*>(done.result.get()));
          else
            failed(done.why);
          this->leave_when_done();
        },
        [this, failed](failure) mutable {
          --working_;
          failed("the thread for it has ended");
          this->leave_when_done();
        });
  }

  // -- a transaction's way ----------------------------------------------------------------------

  void begin(const order_ptr& order) {
    ++preparing_;
    prepare(order);
  }
  /// It came to nothing, or was a dry run; nothing is stored of it.
  void end(const order_ptr& order, outcome<transaction_receipt> told) {
    --preparing_;
    order->answer(std::move(told));
  }
  void fail(const order_ptr& order, failure why) {
    --preparing_;
    order->fail(why);
  }

  void prepare(const order_ptr& order) {
    const planned_call call{wallet_.at, order->plan.to, order->plan.value, order->plan.data};
    work<node_quote>(
      this->with_->nodes,
      [call, expected = state_->next_nonce({}), until = order->deadline](node_endpoints& nodes, wallet_keys&) {
        if (steady_clock::now() >= until) // it waited for a thread that long: those whose clients still wait come next
          throw std::runtime_error("nobody waits for this quote any more");
        return nodes.quote(call, expected);
      },
      [this, order](node_quote& quote) { on_quote(order, quote); },
      [this, order](const std::string& why) {
        if (steady_clock::now() >= order->deadline)
          return fail(order, failure::timed_out);
        ops::log(ops::level::warn, "wallet_node_failed", {{"error", why}});
        end(order, refusal{refusal_code::blockchain_unavailable,
                           "the chain's nodes do not answer at the moment; try again shortly"});
      });
  }

  void on_quote(const order_ptr& order, node_quote& quote) {
    if (this->failed_)
      return fail(order, failure::unavailable);
    if (steady_clock::now() >= order->deadline)
      return fail(order, failure::timed_out);
    quote.why = quote.revert.empty() ? harmless(quote.why, text_max)
                                     : this->with_->reverts.reason(std::as_bytes(std::span{quote.revert}));
    auto cost = order->plan.kind == kind_of_sponsorship ? state_->price_of_gift(quote, order->plan.value)
                                                        : state_->price(quote, order->plan.value);
    if (!cost)
      return end(order, cost.why());
    order->cost = *cost;
    order->plan.gas_limit = cost->gas_limit;
    order->told = quote.nonces;
    if (const auto missing = state_->missing(quote.balance, cost->most); missing > 0)
      return this->self().on_missing(order, missing);
    if (order->dry_run)
      return end(order, transaction_receipt{0, {}, cost->most});
    if (auto why = order->object(*cost))
      return end(order, *std::move(why));
    ready_.push_back(order);
    sign_next();
  }

  /// One signature at a time, so that numbers are given out in order and none is lost.
  void sign_next() {
    while (!signing_ && !ready_.empty() && !this->failed_) {
      const auto order = std::move(ready_.front());
      ready_.pop_front();
      if (steady_clock::now() >= order->deadline)
        fail(order, failure::timed_out);
      else if (const auto why = this->closed())
        fail(order, *why);
      else if (const auto off = closed_by_switch())
        end(order, *off);
      else if (order->replaces ? !still_waits(order->replaces) : order->fixed && state_->next_nonce({}) > order->nonce)
        fail(order, failure::stranded); // it needs no other one any more
      else
        sign(order);
    }
  }

  void sign(const order_ptr& order) {
    signing_ = true;
    if (!order->fixed)
      order->nonce = state_->next_nonce(order->told);
    if (!order->replaces)
      state_->reserve(order->nonce);
    const unsigned_transaction transaction{
      this->with_->bounds.chain_id, order->nonce,   order->cost.fees.priority, order->cost.fees.most,
      order->plan.gas_limit,        order->plan.to, order->plan.value,         order->plan.data};
    work<std::string>(
      this->with_->keys,
      [transaction, id = wallet_.id, key = wallet_.key](node_endpoints&, wallet_keys& keys) {
        return signed_bytes(transaction, keys.sign(id, key, signing_hash(transaction)));
      },
      [this, order](std::string& bytes) {
        signing_ = false;
        this->failed_ ? fail(order, failure::unavailable) : store(order, std::move(bytes));
        sign_next();
      },
      [this, order](const std::string& why) {
        signing_ = false;
        ops::log(ops::level::error, "wallet_key_failed", {{"wallet", wallet_.id}, {"error", why}});
        release(*order);
        fail(order, failure::unavailable);
        sign_next();
      });
  }

  void store(const order_ptr& order, std::string bytes) {
    if (order->replaces && !still_waits(order->replaces)) // a look saw it in a block meanwhile
      return fail(order, failure::stranded);
    if (steady_clock::now() + time_to_store >= order->deadline) { // a late one would take everything behind it back
      release(*order);
      return fail(order, failure::timed_out);
    }
    const auto now = this->with_->now();
    const auto hash = transaction_hash(bytes);
    outbox_row row{0,  order->nonce, order->plan, order->cost.fees, bytes, hash, transaction_state::stored,
                   {}, now,          now,         std::nullopt};
    transaction_stored change{this->id_,        order->nonce, order->plan,     order->cost.fees,
                              std::move(bytes), hash,         order->replaces, now};
    pending_writes::step then;
    then.stored = [this, order, row](const write_outcome& outcome) mutable {
      row.id = outcome.number;
      order->receipt = {row.id, row.hash, cost_at_most(row.plan.gas_limit, row.fees, row.plan.value)};
      metrics().moved[static_cast<std::size_t>(transaction_state::stored)].add();
      const auto id = row.id;
      state_->add(std::move(row), order->by_owner, order->replaces);
      --preparing_;
      send(id, order);
    };
    then.lost = [this, order](failure why) {
      release(*order);
      fail(order, why);
    };
    this->writes_.send(this->storage_, *this, std::move(change), order->deadline, order->context, std::move(then));
  }

  /// Gives a stored transaction to a node, for the first time; again, or where it is to bring others on, to all.
  /// `order`: who waits for that.
  void send(std::int64_t id, const order_ptr& order = {}) {
    const auto* row = state_->row(id);
    if (!row || !sending_.insert(id).second)
      return;
    const auto since = steady_clock::now();
    work<send_answer>(
      this->with_->nodes,
      [bytes = row->signed_bytes, everywhere = !order || order->fixed](node_endpoints& nodes, wallet_keys&) {
        return nodes.send(bytes, everywhere);
      },
      [this, id, order, since](const send_answer& answer) {
        metrics().send.observe(steady_clock::now() - since);
        on_sent(id, order, answer);
      },
      [this, id, order](const std::string& why) {
        on_sent(id, order, {send_result::unclear, why});
      });
  }

  void on_sent(std::int64_t id, const order_ptr& order, send_answer answer) {
    sending_.erase(id);
    metrics().sends[static_cast<std::size_t>(answer.result)].add();
    answer.why = harmless(answer.why, text_max);
    if (answer.result == send_result::unclear)
      ops::log(ops::level::warn, "wallet_transaction_unclear", {{"transaction", id}, {"error", answer.why}});
    const auto verdict = this->failed_ ? send_verdict{} : state_->on_sent(id, answer);
    if (!verdict.why) {
      move(verdict.moves);
      if (order)
        order->answer(order->receipt); // whatever comes now, it is sent or found
      return;
    }
    move(verdict.moves, order, *verdict.why);
  }

  /// Stores where transactions are now; then tells who waits.
  void move(std::vector<transaction_move> moves, const order_ptr& order = {}, const refusal& why = {}) {
    if (moves.empty())
      return;
    for (const auto& each : moves)
      metrics().moved[static_cast<std::size_t>(each.to)].add();
    transactions_moved change{this->id_, std::move(moves), this->with_->now()};
    state_->apply(change);
    ++moves_under_way_;
    pending_writes::step then;
    then.stored = [this, order, why](const write_outcome&) {
      --moves_under_way_;
      if (order)
        order->answer(why);
    };
    then.lost = [order](failure lost) {
      if (order)
        order->fail(lost);
    };
    this->writes_.send(this->storage_, *this, std::move(change), steady_clock::now() + own_timeout, nullptr,
                       std::move(then));
  }

  bool still_waits(std::int64_t id) const {
    const auto* row = state_->row(id);
    return row && (row->state == transaction_state::stored || row->state == transaction_state::sent);
  }
  void release(const signing_order& order) {
    if (!order.replaces)
      state_->release(order.nonce);
  }

  // -- the wallet itself ------------------------------------------------------------------------

  void make_wallet() {
    making_key_ = true;
    const auto id = wallet_id_of(this->id_);
    work<made_key>(
      this->with_->keys, [id](node_endpoints&, wallet_keys& keys) { return keys.make(id); },
      [this, id](const made_key& made) {
        if (this->failed_) {
          making_key_ = false;
          return this->self().wallet_is_made(failure::unavailable);
        }
        const auto now = this->with_->now();
        pending_writes::step then;
        then.stored = [this, id, made, now](const write_outcome&) {
          making_key_ = false;
          wallet_ = {true, this->id_, id, made.at, made.key, now, std::nullopt};
          this->self().wallet_is_made(std::nullopt);
        };
        then.lost = [this](failure why) {
          making_key_ = false;
          this->self().wallet_is_made(why);
        };
        making_.send(this->with_->wallets, *this, wallet_made{this->id_, id, made.at, made.key, now},
                     steady_clock::now() + own_timeout, nullptr, std::move(then));
      },
      [this](const std::string& why) {
        making_key_ = false;
        ops::log(ops::level::error, "wallet_key_failed", {{"wallet", wallet_id_of(this->id_)}, {"error", why}});
        this->self().wallet_is_made(failure::unavailable);
      });
  }

  /// Stores that the owner has taken the key out, for the audit too; `stored` runs then.
  template <class Stored>
  void note_export(const ask<export_wallet>& question, Stored stored) {
    pending_writes::step then;
    const auto now = this->with_->now();
    then.stored = [this, stored, now](const write_outcome&) {
      wallet_.exported_at = now;
      stored();
    };
    then.lost = [question](failure why) { question.fail(why); };
    making_.send(this->with_->wallets, *this, wallet_exported{this->id_, wallet_.id, now}, question.get()->deadline(),
                 question.get()->context(), std::move(then));
  }

  /// Whether gas for that wallet is on its way already.
  bool pays_for(profile_id whose) const {
    const auto ids = state_->open();
    return std::any_of(ids.begin(), ids.end(),
                       [&](std::int64_t id) { return state_->row(id)->plan.beneficiary == whose && still_waits(id); });
  }

  std::optional<signer_state> state_;
  stored_wallet wallet_;
  gas_budget budget_;
  std::size_t preparing_ = 0; // orders that are not stored yet
  bool making_key_ = false;
  std::deque<order_ptr> ready_; // to be signed, in order

private:
  /// Answers whoever waits in memory.
  void give_up() {
    for (const auto& order : std::exchange(ready_, {}))
      fail(order, failure::unavailable);
    this->self().give_up_waiting();
  }

  void load_rows() {
    const auto day = day_of(this->with_->now());
    this->storage_.read(*this, load_outbox{this->id_, day})
      .await(
        [this, day](stored_outbox& found) {
          budget_.restore(std::move(found.granted_today), day);
          state_->restore(std::move(found), day);
        },
        [this](failure) { this->self().start_afresh(); });
  }

  pending_writes making_; // of the wallet
  int working_ = 0;       // pieces of work under way
  int moves_under_way_ = 0;
  bool signing_ = false;
  std::set<std::int64_t> sending_;
};

} // namespace credence::wallets
