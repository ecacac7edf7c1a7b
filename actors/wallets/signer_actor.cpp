#include "actors/wallets/failure_reason.hpp"
#include "actors/wallets/outbox_care.hpp"

#include "actors/directory.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <memory>
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
/// follower owns what is in blocks.
class signer : public outbox_care<signer> {
public:
  static inline const char* name = "wallet";
  using outbox_care::on;

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

  /// Nobody has the key before it is stored that somebody has it.
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
      load_for(question, load_transaction{id_, question->transaction}, [question](const found_transaction& found) {
        const auto& row = found.row;
        if (!row)
          return question.answer(refusal{refusal_code::not_found,
                                         "this wallet has no transaction " + std::to_string(question->transaction)});
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
      load_for(question, std::move(call), [question](const found_transaction& found) {
        found.row ? question.answer(receipt_of(*found.row))
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

  bool at_rest() const noexcept {
    return outbox_care::at_rest() && wanting_.empty() && asking_for_gas_.empty() && waiting_for_gas_.empty();
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

private:
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
