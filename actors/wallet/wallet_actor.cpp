#include "actors/wallet/wallet_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/entity_plumbing.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/wallet/purse.hpp"
#include "actors/wallet/wallet_entity.hpp"

#include <caf/actor_system.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace credence::wallet {

namespace {

/// The wallet of one profile. It owns the balance; markets own what money is spent on. A
/// buyer's money is set aside here before the market decides, so that neither needs the other's
/// facts, and comes back with what was spent. Trades that ask for what is set aside wait for it.
class wallet_plumbing : public entity_plumbing<ops::actor_kind::wallet, wallet_entity, wallet_plumbing, context> {
public:
  static inline const char* name = "wallet";

  ~wallet_plumbing() { revoke_all(); }

  void start(pointer self, profile_id id, const std::shared_ptr<const context>& with, wallet_supervisor router) {
    self_ = self;
    id_ = id;
    with_ = with;
    router_ = std::move(router);
    self->request(with_->storage.reader, cold_patience, load_wallet{id})
      .await([this](const stored_wallet& stored) { purse_.emplace(stored); }, [this](const caf::error&) { give_up(); });
  }

  void on_view(const ask<get_wallet>& asked) {
    read(asked, [&] { asked.answer(wallet_view{purse_->balance(), purse_->available()}); });
  }

  void on_move(const ask<move_funds>& asked) {
    change_with(asked, [&] {
      const bool out = asked->way == flow::withdrawal;
      if (out && must_wait(asked->amount))
        return wait(asked, [this, asked] { on_move(asked); });
      auto decision = purse_->decide(*asked, with_->now());
      if (!decision)
        return asked.answer(decision.why());
      const auto amount = decision->amount;
      if (out)
        purse_->set_aside(amount);
      write(
        asked, *std::move(decision),
        [this, asked, out, amount](const write_outcome& what) {
          if (out)
            purse_->put_back(amount);
          if (!(out ? purse_->left(amount, what.as_of) : purse_->came(amount, what.as_of)))
            return give_up();
          asked.answer(transfer_receipt{what.number, purse_->balance()});
        },
        [this, out, amount] {
          if (out)
            purse_->put_back(amount);
        },
        [this, asked] { post(with_->others->wallets, asked); });
    });
  }

  void on_transfer(const ask<get_transfer>& asked) {
    read(asked, [&] {
      load_for<stored_transfer>(asked, load_transfer{id_, asked->transfer}, [this, asked](const stored_transfer& stored) {
        if (!stored.found)
          return asked.answer(refusal{refusal_code::not_found, "there is no transfer " + std::to_string(asked->transfer)});
        asked.answer(transfer_receipt{asked->transfer, purse_->balance()});
      });
    });
  }

  void on_trade(const ask<market::place_trade>& asked) {
    const auto& what = asked->what; // a sale takes nothing, but what becomes of it has to be known
    spend(asked, what.way == market::direction::sell ? wei{0} : what.maximum_cost);
  }

  void on_opening(const ask<market::open_market>& asked) {
    spend(asked, with_->trading.tiers[static_cast<std::size_t>(asked->kind)].creation_cost);
  }

  void on_past_trade(const ask<market::get_trade>& asked) {
    read(asked, [&] {
      load_for<market::stored_trade>(asked, market::load_trade{asked->market, id_, asked->trade}, [this, asked](const market::stored_trade& stored) {
        if (!stored.found)
          return asked.answer(refusal{refusal_code::not_found, "there is no trade " + std::to_string(asked->trade)});
        auto receipt = market::receipt_of(*stored.found, asked->trade);
        receipt.held = stored.held;
        receipt.balance = purse_->balance();
        asked.answer(std::move(receipt));
      });
    });
  }

  // The change is committed whatever happens here: a balance that cannot be read is left out.
  void on_landed(const trade_landed& what) {
    const handling here{kind, {}};
    auto receipt = what.receipt;
    take_back(what.money);
    if (!failed_) {
      const auto& funds = receipt.done.funds;
      const bool good = (receipt.done.what.way == market::direction::buy ? purse_->left(funds, what.as_of) : purse_->came(funds, what.as_of))
                        && purse_->came(what.donation, what.as_of);
      if (good)
        receipt.balance = purse_->balance();
      else
        give_up();
    }
    what.asked.answer(std::move(receipt));
    serve_waiting();
  }

  void on_landed(const opening_landed& what) {
    const handling here{kind, {}};
    take_back(what.money);
    if (!failed_ && !purse_->left(what.opened.creation_cost, what.as_of))
      give_up();
    what.asked.answer(what.opened);
    serve_waiting();
  }

  void on_donation(const donation_landed& what) {
    const handling here{kind, {}};
    if (!failed_)
      purse_->came(what.amount, what.as_of);
    serve_waiting();
  }

  void on_over(const hold_over& what) {
    --holds_out_;
    purse_->put_back(what.amount);
    if (what.what == hold::fate::unknown)
      return give_up();
    serve_waiting();
    leave_when_done();
  }

  /// What was set aside for changes is back, all of it.
  void on_written(const write_outcome& what) {
    on_outcome(what);
    serve_waiting();
  }

private:
  friend entity_plumbing;

  /// Sets money aside, `most` of it or everything, and lets the market decide.
  template <class Q>
  void spend(const ask<Q>& asked, const std::optional<wei>& most) {
    change_with(asked, [&] {
      if (must_wait(most))
        return wait(asked, [this, asked, most] { spend(asked, most); });
      const auto there = purse_->available();
      const auto amount = most ? std::min(*most, there) : there;
      purse_->set_aside(amount);
      ++holds_out_;
      auto money = std::make_shared<hold>(amount, life_, [me = caf::actor_cast<caf::actor_addr>(self_)](const hold& over) {
        if (const auto wallet = caf::actor_cast<caf::actor>(me))
          caf::anon_send(wallet, hold_over{over.amount(), over.now()});
      });
      std::erase_if(out_, [](const auto& each) { return each.expired(); });
      out_.push_back(money);
      pass_on(market::funded<Q>{asked, std::move(money)});
    });
  }

  /// Whether more is asked for than is there while some is on its way in or set aside, and may come back.
  bool must_wait(const std::optional<wei>& most) const {
    return (holds_out_ > 0 || !writes_.empty()) && (!most || *most > purse_->available());
  }
  template <class Q>
  void wait(const ask<Q>& asked, std::function<void()> then) {
    waiting_.emplace_back(std::move(then), [asked](failure why) { asked.fail(why); });
  }

  template <class Funded>
  void pass_on(Funded what) {
    post(with_->others->markets, std::move(what));
  }

  void take_back(const hold_ptr& money) {
    if (money->of() != life_)
      return;
    --holds_out_;
    purse_->put_back(money->amount());
  }

  void serve_waiting() {
    for (auto& each : std::exchange(waiting_, {}))
      each.first();
    leave_when_done();
  }

  void drop_pending() {} // each withdrawal puts its money back

  void give_up() {
    failed_ = true;
    revoke_all();
    caf::anon_send(router_, wants_out<profile_id>{id_});
    lose_writes();
    for (auto& each : std::exchange(waiting_, {}))
      each.second(failure::unavailable);
    leave_when_done();
  }

  /// The next wallet of this profile knows nothing of what this one set aside.
  void revoke_all() noexcept {
    for (const auto& each : std::exchange(out_, {}))
      if (const auto money = each.lock())
        money->revoke();
  }

  bool at_rest() const noexcept { return waiting_.empty() && (failed_ || holds_out_ == 0); }

  using waiting = std::pair<std::function<void()>, std::function<void(failure)>>;

  profile_id id_;
  wallet_supervisor router_;
  const std::uint64_t life_ = next_incarnation();
  std::optional<purse> purse_;
  int holds_out_ = 0;
  std::vector<std::weak_ptr<hold>> out_; // some of them are over
  std::deque<waiting> waiting_; // for money that is set aside
};

wallet_entity::behavior_type behave(wallet_plumbing::pointer self, profile_id id, const std::shared_ptr<const context>& with,
                                    wallet_supervisor router) {
  auto& state = self->state;
  state.start(self, id, with, std::move(router));
  return {
    [&state](const ask<get_wallet>& asked) { state.on_view(asked); },
    [&state](const ask<move_funds>& asked) { state.on_move(asked); },
    [&state](const ask<get_transfer>& asked) { state.on_transfer(asked); },
    [&state](const ask<market::place_trade>& asked) { state.on_trade(asked); },
    [&state](const ask<market::open_market>& asked) { state.on_opening(asked); },
    [&state](const ask<market::get_trade>& asked) { state.on_past_trade(asked); },
    [&state](const trade_landed& what) { state.on_landed(what); },
    [&state](const opening_landed& what) { state.on_landed(what); },
    [&state](const donation_landed& what) { state.on_donation(what); },
    [&state](const hold_over& what) { state.on_over(what); },
    [&state](const write_outcome& what) { state.on_written(what); },
    [&state](passivate) { state.on_passivate(); },
  };
}

} // namespace

wallet_entity spawn_wallet(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                           wallet_supervisor router) {
  return sys.spawn(behave, id, with, std::move(router));
}

} // namespace credence::wallet
