#include "actors/directory.hpp"
#include "actors/wallets/eip1559.hpp"
#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/signer_family.hpp"
#include "actors/wallets/signer_state.hpp"
#include "actors/wallets/signing_bounds.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace credence::wallets {

namespace {

/// A client that waits for gas is answered so long before its deadline.
constexpr std::chrono::milliseconds left_to_answer{600};
constexpr std::chrono::milliseconds gas_poll{300};
/// Whoever asks for the balance of a wallet again and again hears of the same one so long.
constexpr std::chrono::seconds balance_kept_for{3};
/// Transactions of the funding account that are in no block yet: nodes drop what is beyond some 64 of one account.
constexpr std::size_t gifts_open_max = 48;

transaction_receipt receipt_of(const outbox_row& row) {
  return {row.id, row.hash, cost_at_most(row.plan.gas_limit, row.fees, row.plan.value)};
}

/// Signs for one profile. It owns the numbers (nonces) of its account and the outbox of its transactions; the chain's
/// follower owns what is in blocks. A transaction's way: a node's quote, the signature, the database, a node; nothing
/// is given to a node before it is stored.
class signer : public writing_entity_actor<signer, signers, signing_context> {
  using base = writing_entity_actor<signer, signers, signing_context>;

public:
  static inline const char* name = "wallet";
  using base::on;

  void load() {
    state_.emplace(with_->bounds);
    storage_.read(*this, load_wallet{id_})
      .await(
        [this](const stored_wallet& found) {
          wallet_ = found;
          load_rows();
        },
        [this](failure) { start_afresh(); });
  }

  void on(const write_outcome& outcome) {
    const auto verdict = making_.on_outcome(outcome);
    if (verdict != pending_writes::verdict::goes_on)
      making_.lose_all(failure::unavailable);
    if (verdict == pending_writes::verdict::refused) // the row is another one than in memory
      start_afresh();
    base::on(outcome);
  }

  /// What was written of moves is in memory already: it is read again.
  void take_back() {
    if (std::exchange(moves_under_way_, 0) > 0 && !failed_) {
      ask_for_another_life();
      give_up();
    }
  }
  void start_afresh() {
    ask_for_another_life();
    take_back();
    lose_writes();
    give_up();
    leave_when_done();
  }

  // -- questions ----------------------------------------------------------------------------------

  void on(const ask<send_transaction>& question) {
    change_with(question, [&] {
      const auto& action = question->action;
      if (const auto why = closed_by_switch())
        return question.answer(*why);
      if (!wallet_.found)
        return question.answer(refusal{refusal_code::wallet_not_found, "this profile has no managed wallet"});
      const auto to = target_of(action, with_->bounds);
      if (!to)
        return question.answer(to.why());
      if (const auto why = state_->may_sign(with_->now(), preparing_))
        return question.answer(*why);
      if (goes_beside(action, *to))
        return question.answer(
          refusal{refusal_code::nonce_conflict,
                  "a '" + action.kind + "' of the same is on its way already: try again when it is in a block"});
      auto order = std::make_shared<signing_order>();
      order->plan = {*to, action.value, action.data, 0, action.kind, question->origin, {}};
      order->answer = [question](outcome<transaction_receipt> told) { question.answer(std::move(told)); };
      order->fail = [question](failure why) { question.fail(why); };
      order->deadline = question.get()->deadline();
      order->context = question.get()->context();
      order->by_owner = true;
      order->dry_run = question->dry_run;
      if (!action.not_beside.empty() && !order->dry_run)
        guarded_.push_back(order);
      begin(order);
    });
  }

  void on(const ask<get_wallet>& question) {
    read(question, [&] {
      if (wallet_.found)
        return show(question);
      if (wallet_.orphaned)
        return question.answer(refusal{refusal_code::wallet_not_found,
                                       "the managed wallet of this number was made for a profile whose block was taken"
                                       " back from the chain; ask the operator of this server for it"});
      if (!question->make)
        return question.answer(refusal{refusal_code::wallet_not_found, "this profile has no managed wallet"});
      if (!can_write(question))
        return;
      wanting_.push_back(question);
      if (wanting_.size() == 1)
        make_wallet();
    });
  }

  /// That the key was exported is stored before the key is given out.
  void on(const ask<export_wallet>& question) {
    change_with(question, [&] {
      if (!wallet_.found)
        return question.answer(refusal{refusal_code::wallet_not_found, "this profile has no managed wallet"});
      if (const auto length = question->passphrase.size();
          length < passphrase_bytes_min || length > passphrase_bytes_max)
        return question.answer(
          refusal{refusal_code::invalid_input, "passphrase must have " + std::to_string(passphrase_bytes_min) + " to "
                                                 + std::to_string(passphrase_bytes_max) + " bytes"});
      if (std::exchange(exporting_, true))
        return question.answer(refusal{refusal_code::rate_limited,
                                       "the key of this wallet is being written down already; try again shortly"});
      work<std::string>(
        with_->exports,
        [id = wallet_.id, key = wallet_.key, passphrase = question->passphrase,
         until = question.get()->deadline()](node_endpoints&, wallet_keys& keys) {
          if (steady_clock::now() >= until)
            throw std::runtime_error("nobody waits for this key any more");
          return keys.export_keystore(id, key, passphrase);
        },
        [this, question](const std::string& keystore) {
          exporting_ = false;
          if (failed_)
            return question.fail(failure::unavailable);
          note_export(question, [question, keystore] { question.answer(keystore); });
        },
        [this, question](const std::string&) {
          exporting_ = false;
          question.fail(failure::unavailable);
        });
    });
  }

  void on(const ask<list_transactions>& question) {
    read(question, [&] {
      constexpr std::size_t most = 1'000'000'000;
      const find_transactions page{id_, static_cast<std::int32_t>(std::min(question->limit, most)),
                                   static_cast<std::int32_t>(std::min(question->offset, most))};
      load_for(question, page,
               [question](find_transactions::answer_type& found) { question.answer(std::move(found)); });
    });
  }

  void on(const ask<get_transaction>& question) {
    read(question, [&] {
      load_for(question, load_transaction{id_, question->transaction},
               [question](const std::optional<outbox_row>& row) {
                 if (!row)
                   return question.answer(refusal{refusal_code::not_found, "this wallet has no transaction "
                                                                             + std::to_string(question->transaction)});
                 if (row->state == transaction_state::failed)
                   return question.answer(refusal_of(row->reason));
                 auto receipt = receipt_of(*row);
                 receipt.id = question->transaction;
                 question.answer(receipt);
               });
    });
  }

  void on(const ask<find_action>& question) {
    read(question, [&] {
      const auto& action = question->action;
      const auto to = target_of(action, with_->bounds);
      if (!to)
        return question.answer(to.why());
      load_call call{id_, *to, action.not_beside};
      call.calls.push_back(action.data);
      load_for(question, std::move(call), [question](const std::optional<outbox_row>& row) {
        row ? question.answer(receipt_of(*row))
            : question.answer(refusal{refusal_code::not_found, "this wallet has sent no such call"});
      });
    });
  }

  void on(const look_after& now) { look(now.followed); }

  // -- gas ----------------------------------------------------------------------------------------

  /// Comes where the balance lacks something for an action. Whoever has taken the key out could take the gas, too, and
  /// ask again.
  void on_missing(const order_ptr& order, const wei& missing) {
    const bool may_wait =
      with_->bounds.sponsoring && id_ != funding_account && order->plan.value == 0 && !wallet_.exported_at;
    const refusal why{refusal_code::insufficient_funds, "the wallet " + lower_text(wallet_.at) + " lacks "
                                                          + decimal(missing)
                                                          + " wei for this: send them there and try again"};
    if (!may_wait)
      return end(order, why);
    if (order->dry_run)
      return end(order, transaction_receipt{0, {}, order->cost.most});
    if (order->funded) {
      if (order->deadline - steady_clock::now() < left_to_answer)
        return end(order, refusal{refusal_code::blockchain_unavailable,
                                  "the gas for this is on its way to the wallet; try again shortly"});
      return wait_for_gas(order);
    }
    order->lack = why;
    asking_for_gas_.push_back(order);
    if (asking_for_gas_.size() == 1)
      credence::send(router_, gas_wanted{id_, wallet_.at, std::max(missing, with_->bounds.sponsored_least)});
    try_again_soon();
  }

  void on(const gas_answered& answer) {
    for (const auto& order : std::exchange(asking_for_gas_, {}))
      if (answer.granted) {
        order->funded = true;
        wait_for_gas(order);
      } else {
        auto why = order->lack;
        why.detail += " (" + answer.why + ")";
        end(order, std::move(why));
      }
    leave_when_done();
  }
  void on(const try_again&) {
    trying_again_ = false;
    for (const auto& order : std::exchange(waiting_for_gas_, {}))
      prepare(order);
    for (const auto& order :
         std::exchange(asking_for_gas_, {})) // the funding account may have been lost with the question
      if (order->deadline - steady_clock::now() < left_to_answer)
        end(order, order->lack);
      else
        asking_for_gas_.push_back(order);
    if (!asking_for_gas_.empty())
      try_again_soon();
    leave_when_done();
  }

  /// To the funding account.
  void on(const gas_wanted& wanted) {
    const auto refuse = [this, wanted](std::string why) {
      metrics().grants[1].add();
      credence::send(router_, gas_answered{wanted.whose, false, std::move(why)});
    };
    if (failed_ || closed() || closed_by_switch() || !wallet_.found)
      return refuse("nobody pays for gas at the moment");
    if (pays_for(wanted.whose))
      return credence::send(router_, gas_answered{wanted.whose, true, {}});
    if (state_->unmined() + preparing_ >= gifts_open_max)
      return refuse("too many wallets wait for gas at the moment; try again shortly");
    if (const auto why = budget_.refuse(wanted.whose, wanted.amount, with_->now(), with_->bounds))
      return refuse(*why);
    auto order = std::make_shared<signing_order>();
    order->plan = {wanted.at, wanted.amount, {}, 0, std::string{kind_of_sponsorship}, {}, wanted.whose};
    const auto spent = std::make_shared<wei>(0);
    const auto over_budget = std::make_shared<std::string>();
    order->object = [this, wanted, spent, over_budget](const transaction_cost& cost) -> std::optional<refusal> {
      if (auto why = budget_.refuse(wanted.whose, cost.most, with_->now(), with_->bounds)) {
        *over_budget = *why;
        return refusal{refusal_code::forbidden, *std::move(why)};
      }
      *spent = cost.most;
      budget_.grant(wanted.whose, *spent, with_->now());
      return std::nullopt;
    };
    const auto lost = [this, wanted, refuse, spent, over_budget](const std::string& why) {
      budget_.take_back(wanted.whose, *spent);
      ops::log(ops::level::warn, "wallet_gas_not_granted",
               {{"profile", static_cast<std::int64_t>(wanted.whose.value)}, {"why", why}});
      refuse(over_budget->empty() ? "the account that pays for gas cannot at the moment" : *over_budget);
    };
    order->answer = [this, wanted, lost](const outcome<transaction_receipt>& told) {
      if (!told)
        return lost(told.why().detail);
      metrics().grants[0].add();
      credence::send(router_, gas_answered{wanted.whose, true, {}});
    };
    order->fail = [lost](failure) { lost("nothing can be stored"); };
    order->deadline = steady_clock::now() + own_timeout;
    begin(order);
  }
  void on(const open_funding&) {
    if (!failed_ && !wallet_.found && wanting_.empty() && !making_key_ && !closed())
      make_wallet();
    else if (wallet_.found)
      tell_funding();
  }

  /// Also one that failed stays until threads have brought back what they were given: only then are orders that they
  /// held answered. The bounds of time of nodes and keys end that.
  bool at_rest() const noexcept {
    return working_ == 0 && making_.empty() && (failed_ || preparing_ == 0) && wanting_.empty()
           && asking_for_gas_.empty() && waiting_for_gas_.empty();
  }

private:
  static constexpr std::size_t text_max = 300; // of what a node says
  /// A signature that comes later than so long before its deadline is thrown away.
  static constexpr std::chrono::milliseconds time_to_store{100};
  /// Time for what nobody waits for.
  static constexpr std::chrono::seconds own_timeout{60};

  /// Answers whoever waits in memory.
  void give_up() {
    for (const auto& order : std::exchange(ready_, {}))
      fail(order, failure::unavailable);
    give_up_waiting();
  }

  void load_rows() {
    const auto day = day_of(with_->now());
    storage_.read(*this, load_outbox{id_, day})
      .await(
        [this, day](stored_outbox& found) {
          budget_.restore(std::move(found.granted_today), day);
          state_->restore(std::move(found), day);
        },
        [this](failure) { start_afresh(); });
  }

  static ops::wallet_metrics& metrics() { return ops::the_wallet_metrics(); }

  std::optional<refusal> closed_by_switch() const {
    if (with_->may_sign->on())
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
    request(who, for_ever, std::move(order))
      .then(
        [this, then, failed](work_done& done) mutable {
          --working_;
          if (done.result)
            then(*static_cast<Result*>(done.result.get()));
          else
            failed(done.why);
          leave_when_done();
        },
        [this, failed](failure) mutable {
          --working_;
          failed("the thread for it has ended");
          leave_when_done();
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
      order->dry_run ? with_->balances : with_->nodes, // what is only tried keeps no signature waiting
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
    if (failed_)
      return fail(order, failure::unavailable);
    if (steady_clock::now() >= order->deadline)
      return fail(order, failure::timed_out);
    quote.why = quote.revert.empty() ? harmless(quote.why, text_max)
                                     : with_->reverts.reason(std::as_bytes(std::span{quote.revert}));
    auto cost = order->plan.kind == kind_of_sponsorship ? state_->price_of_gift(quote, order->plan.value)
                                                        : state_->price(quote, order->plan.value);
    if (!cost)
      return end(order, cost.why());
    order->cost = *cost;
    order->plan.gas_limit = cost->gas_limit;
    order->told = quote.nonces;
    if (const auto missing = state_->missing(quote.balance, cost->most); missing > 0)
      return on_missing(order, missing);
    if (order->dry_run)
      return end(order, transaction_receipt{0, {}, cost->most});
    if (auto why = order->object(*cost))
      return end(order, *std::move(why));
    ready_.push_back(order);
    sign_next();
  }

  /// One signature at a time, so that numbers are given out in order and none is lost.
  void sign_next() {
    while (!signing_ && !ready_.empty() && !failed_) {
      const auto order = std::move(ready_.front());
      ready_.pop_front();
      if (steady_clock::now() >= order->deadline)
        fail(order, failure::timed_out);
      else if (const auto why = closed())
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
    const unsigned_transaction transaction{with_->bounds.chain_id, order->nonce,          order->cost.fees.priority,
                                           order->cost.fees.most,  order->plan.gas_limit, order->plan.to,
                                           order->plan.value,      order->plan.data};
    work<std::string>(
      with_->keys,
      [transaction, id = wallet_.id, key = wallet_.key](node_endpoints&, wallet_keys& keys) {
        return signed_bytes(transaction, keys.sign(id, key, signing_hash(transaction)));
      },
      [this, order](std::string& bytes) {
        signing_ = false;
        failed_ ? fail(order, failure::unavailable) : store(order, std::move(bytes));
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
    const auto now = with_->now();
    const auto hash = transaction_hash(bytes);
    outbox_row row{0,  order->nonce, order->plan, order->cost.fees, bytes, hash, transaction_state::stored,
                   {}, now,          now,         std::nullopt};
    transaction_stored change{id_,  order->nonce,    order->plan, order->cost.fees, std::move(bytes),
                              hash, order->replaces, now};
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
    writes_.send(storage_, *this, std::move(change), order->deadline, order->context, std::move(then));
  }

  /// Gives a stored transaction to a node, for the first time; again, or where it is to bring others on, to all.
  /// `order`: who waits for that.
  void send(std::int64_t id, const order_ptr& order = {}) {
    const auto* row = state_->row(id);
    if (!row || !sending_.insert(id).second)
      return;
    const auto since = steady_clock::now();
    work<send_answer>(
      with_->nodes,
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
    const auto verdict = failed_ ? send_verdict{} : state_->on_sent(id, answer);
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
    transactions_moved change{id_, std::move(moves), with_->now()};
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
    writes_.send(storage_, *this, std::move(change), steady_clock::now() + own_timeout, nullptr, std::move(then));
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
    const auto id = wallet_id_of(id_);
    work<made_key>(
      with_->keys, [id](node_endpoints&, wallet_keys& keys) { return keys.make(id); },
      [this, id](const made_key& made) {
        if (failed_) {
          making_key_ = false;
          return wallet_is_made(failure::unavailable);
        }
        const auto now = with_->now();
        pending_writes::step then;
        then.stored = [this, id, made, now](const write_outcome&) {
          making_key_ = false;
          wallet_ = {true, id_, id, made.at, made.key, now, std::nullopt};
          wallet_is_made(std::nullopt);
        };
        then.lost = [this](failure why) {
          making_key_ = false;
          wallet_is_made(why);
        };
        making_.send(with_->wallets, *this, wallet_made{id_, id, made.at, made.key, now},
                     steady_clock::now() + own_timeout, nullptr, std::move(then));
      },
      [this](const std::string& why) {
        making_key_ = false;
        ops::log(ops::level::error, "wallet_key_failed", {{"wallet", wallet_id_of(id_)}, {"error", why}});
        wallet_is_made(failure::unavailable);
      });
  }

  /// Stores that the owner has taken the key out, for the audit too; `stored` runs then.
  template <class Stored>
  void note_export(const ask<export_wallet>& question, Stored stored) {
    pending_writes::step then;
    const auto now = with_->now();
    then.stored = [this, stored, now](const write_outcome&) {
      wallet_.exported_at = now;
      stored();
    };
    then.lost = [question](failure why) { question.fail(why); };
    making_.send(with_->wallets, *this, wallet_exported{id_, wallet_.id, now}, question.get()->deadline(),
                 question.get()->context(), std::move(then));
  }

  /// Whether gas for that wallet is on its way already.
  bool pays_for(profile_id whose) const {
    const auto ids = state_->open();
    return std::any_of(ids.begin(), ids.end(),
                       [&](std::int64_t id) { return state_->row(id)->plan.beneficiary == whose && still_waits(id); });
  }

  /// Nothing is right any more: whoever waits is told.
  void give_up_waiting() {
    for (const auto& each : std::exchange(wanting_, {}))
      each.fail(failure::unavailable);
    for (const auto& order : std::exchange(asking_for_gas_, {}))
      fail(order, failure::unavailable);
    for (const auto& order : std::exchange(waiting_for_gas_, {}))
      fail(order, failure::unavailable);
  }

  /// The key is stored, or is not: `why`.
  void wallet_is_made(std::optional<failure> why) {
    for (const auto& each : std::exchange(wanting_, {}))
      why ? each.fail(*why) : show(each);
    if (!why && id_ == funding_account)
      tell_funding();
  }

  /// Whether something that must not be beside the action is on its way: stored, or about to be.
  bool goes_beside(const contract_action& action, const address& to) {
    std::erase_if(guarded_, [](const auto& each) { return each.expired(); });
    return std::any_of(action.not_beside.begin(), action.not_beside.end(), [&](const std::string& data) {
      return state_->on_its_way(to, data) || std::any_of(guarded_.begin(), guarded_.end(), [&](const auto& each) {
               const auto order = each.lock();
               return order->plan.to == to && order->plan.data == data;
             });
    });
  }

  void wait_for_gas(const order_ptr& order) {
    waiting_for_gas_.push_back(order);
    try_again_soon();
  }
  void try_again_soon() {
    if (!std::exchange(trying_again_, true))
      after(gas_poll, try_again{});
  }

  void tell_funding() const {
    ops::log(ops::level::info, "wallet_funding_account", {{"address", lower_text(wallet_.at)}});
    credence::send(router_, funding_opened{});
  }

  /// A node is asked once for all who ask meanwhile, and not again for a while; where none answers, the balance is what
  /// one said last.
  void show(const ask<get_wallet>& question) {
    if (steady_clock::now() < balance_fresh_until_)
      return tell_balance(question);
    asking_balance_.push_back(question);
    if (asking_balance_.size() > 1)
      return;
    work<wei>(
      with_->balances, [at = wallet_.at](node_endpoints& nodes, wallet_keys&) { return nodes.balance(at); },
      [this](const wei& balance) {
        balance_ = balance;
        tell_balances();
      },
      [this](const std::string&) { tell_balances(); });
  }

  void tell_balances() {
    balance_fresh_until_ = steady_clock::now() + balance_kept_for;
    for (const auto& each : std::exchange(asking_balance_, {}))
      tell_balance(each);
  }

  void tell_balance(const ask<get_wallet>& question) const {
    question.answer(
      wallet_view{wallet_.at, balance_,
                  with_->bounds.sponsoring && with_->may_sign->on() && id_ != funding_account && !wallet_.exported_at});
  }

  // -- what is stored and not done ----------------------------------------------------------------

  void look(const followed_outbox& followed) {
    const auto open = state_->open();
    if (failed_ || looking_ || !wallet_.found || open.empty() || closed())
      return;
    looking_ = true;
    const auto ids = state_->to_ask(followed);
    if (ids.empty())
      return finish_look(followed, std::nullopt);
    std::vector<digest32> hashes;
    for (const auto id : ids)
      hashes.push_back(state_->row(id)->hash);
    auto lowest = state_->row(open.front())->nonce;
    for (const auto id : open)
      lowest = std::min(lowest, state_->row(id)->nonce);
    work<account_view>(
      with_->nodes,
      [at = wallet_.at, hashes, lowest](node_endpoints& nodes, wallet_keys&) { return nodes.look(at, hashes, lowest); },
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
    if (failed_)
      return;
    auto todo = state_->look(followed, node, with_->now());
    if (todo.conflicts)
      metrics().conflicts.add();
    move(std::move(todo.moves));
    for (const auto id : todo.resend)
      send(id);
    if (todo.replace && !raising_)
      raise(*todo.replace);
    if (todo.fill && !raising_)
      fill(*todo.fill);
  }

  /// Signs a stuck one again with a higher fee, under the same number.
  void raise(std::int64_t id) {
    const auto* row = state_->row(id);
    if (!row)
      return;
    with_own_quote(row->plan, [this, id](const node_quote& quote, const order_ptr& order) {
      const auto* stuck = state_->row(id);
      const auto fees = raised_fees(state_->highest_fees(id), suggested_fees(quote, with_->bounds), with_->bounds);
      if (!stuck)
        return false;
      if (!fees)
        return tell_stuck(id, "the bounds allow no higher fee");
      order->cost = {stuck->plan.gas_limit, *fees, cost_at_most(stuck->plan.gas_limit, *fees, stuck->plan.value)};
      if (quote.balance < order->cost.most) // nodes would refuse it
        return tell_stuck(id, "the account lacks " + decimal(wei{order->cost.most - quote.balance})
                                + " wei for a higher fee");
      if (state_->exhausted(id))
        tell_stuck(id, "higher fees brought it into no block so far");
      if (const auto whose = stuck->plan.beneficiary) { // promised already; what it costs more counts, too
        const auto before = cost_at_most(stuck->plan.gas_limit, stuck->fees, stuck->plan.value);
        budget_.grant(whose, order->cost.most - std::min(order->cost.most, before), with_->now());
      }
      order->replaces = id;
      order->nonce = stuck->nonce;
      return true;
    });
  }

  /// Always false: nothing is signed for it now.
  bool tell_stuck(std::int64_t id, const std::string& why) {
    metrics().stuck.add();
    ops::log(ops::level::warn, "wallet_transaction_stuck", {{"transaction", id}, {"why", why}});
    return false;
  }

  /// Takes a number that was left out, and that others wait for, with a transaction that does nothing.
  void fill(std::uint64_t nonce) {
    transaction_plan nothing{wallet_.at, {}, {}, 0, std::string{kind_of_filler}, {}, {}};
    with_own_quote(std::move(nothing), [this, nonce](const node_quote& quote, const order_ptr& order) {
      const auto cost = state_->price(quote, 0);
      if (!cost || quote.balance < cost->most) { // nodes would refuse it
        metrics().stuck.add();
        ops::log(ops::level::warn, "nonce_gap_persists",
                 {{"wallet", wallet_.id}, {"nonce", static_cast<std::int64_t>(nonce)}});
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
    order->deadline = steady_clock::now() + own_timeout;
    order->fixed = true;
    order->answer = [this](const outcome<transaction_receipt>&) { raising_ = false; };
    order->fail = [this](failure) { raising_ = false; };
    raising_ = true;
    ++preparing_;
    const planned_call call{wallet_.at, order->plan.to, order->plan.value, order->plan.data};
    work<node_quote>(
      order->dry_run ? with_->balances : with_->nodes, // what is only tried keeps no signature waiting
      [call, expected = state_->next_nonce({})](node_endpoints& nodes, wallet_keys&) {
        return nodes.quote(call, expected);
      },
      [this, order, complete](const node_quote& quote) {
        if (failed_ || !complete(quote, order))
          return fail(order, failure::unavailable);
        ready_.push_front(order);
        sign_next();
      },
      [this, order](const std::string&) { fail(order, failure::unavailable); });
  }

  std::optional<signer_state> state_;
  stored_wallet wallet_;
  gas_budget budget_;
  std::size_t preparing_ = 0; // orders that are not stored yet
  bool making_key_ = false;
  std::deque<order_ptr> ready_; // to be signed, in order
  pending_writes making_;       // of the wallet
  int working_ = 0;             // pieces of work under way
  int moves_under_way_ = 0;
  bool signing_ = false;
  std::set<std::int64_t> sending_;
  bool looking_ = false;
  bool raising_ = false; // a fee, or filling a gap
  wei balance_;
  steady_time balance_fresh_until_{};
  std::vector<ask<get_wallet>> asking_balance_; // that a node is asked for
  std::vector<std::weak_ptr<signing_order>>
    guarded_;                            // of actions with `not_beside`; gone once they are stored, or came to nothing
  std::vector<ask<get_wallet>> wanting_; // a wallet that is being made
  std::vector<order_ptr> asking_for_gas_, waiting_for_gas_;
  bool trying_again_ = false;
  bool exporting_ = false;
};

} // namespace

entity_handle<signers> spawn_signer(caf::actor_system& sys, birth<signers, signing_context> born) {
  return spawn_entity<signer>(sys, std::move(born));
}

} // namespace credence::wallets
