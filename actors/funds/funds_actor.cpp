#include "actors/funds/funds_actor.hpp"

#include "actors/directory.hpp"
#include "actors/funds/account.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/market/market_actor.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace credence::funds {

/// Nobody holds a certain hold any more, and what became of it was not told otherwise.
struct hold_over {
  wei amount;
  hold::fate fate{};
};

namespace {

struct accounts {
  static constexpr auto kind = ops::actor_kind::funds;
  using storage = funds::storage;
  using id = profile_id;
  static auto whose(const auto& question) -> decltype(question.profile) { return question.profile; }
  using handle = funds_handle;
  using questions = funds_questions;
  using to_one = types<hold_over>;
  using to_router = types<>;
};

/// The funds of one profile. It owns the balance; markets own what money is spent on. A
/// buyer's money is set aside here before the market decides, so that neither needs the other's
/// facts, and comes back with what was spent. Trades that ask for what is set aside wait for it.
class funds_actor : public writing_entity_actor<funds_actor, accounts, context> {
public:
  static inline const char* name = "funds";
  using writing_entity_actor::on;

  ~funds_actor() { revoke_all(); }

  void load() {
    storage_.read(*this, load_funds{id_})
      .await([this](const stored_funds& stored) { account_.emplace(stored); }, [this](failure) { start_afresh(); });
  }

  void on(const ask<get_funds>& question) {
    read(question, [&] { question.answer(funds_view{account_->balance(), account_->available()}); });
  }

  void on(const ask<move_funds>& question) {
    change_with(question, [&] {
      const bool out = question->way == flow::withdrawal;
      if (out && must_wait(question->amount))
        return wait(question, [this, question] { on(question); });
      auto decision = account_->decide(*question, with_->now());
      if (!decision)
        return question.answer(decision.why());
      if (question->dry_run)
        return question.answer(transfer_receipt{0, account_->balance()});
      const auto amount = decision->amount;
      if (out)
        account_->set_aside(amount);
      write(
        question, *std::move(decision),
        [this, question, out, amount](const write_outcome& outcome) {
          if (out)
            account_->put_back(amount);
          if (!(out ? account_->left(amount, outcome.as_of) : account_->came(amount, outcome.as_of)))
            return start_afresh();
          question.answer(transfer_receipt{outcome.number, account_->balance()});
        },
        [this, out, amount] {
          if (out)
            account_->put_back(amount);
        },
        [this, question] { post(with_->others->funds.to(), question); });
    });
  }

  void on(const ask<get_transfer>& question) {
    read(question, [&] {
      load_for(question, load_transfer{id_, question->transfer}, [this, question](const stored_transfer& stored) {
        if (!stored.found)
          return question.answer(
            refusal{refusal_code::not_found, "there is no transfer " + std::to_string(question->transfer)});
        question.answer(transfer_receipt{question->transfer, account_->balance()});
      });
    });
  }

  void on(const ask<market::place_trade>& question) {
    const auto& record = question->order; // a sale takes nothing, but what becomes of it has to be known
    spend(question, record.way == market::direction::sell ? wei{0} : record.maximum_cost);
  }

  void on(const ask<market::open_market>& question) {
    spend(question, with_->trading.tiers[static_cast<std::size_t>(question->kind)].creation_cost);
  }

  void on(const ask<market::get_trade>& question) {
    read(question, [&] {
      load_for(question, market::load_trade{question->market, id_, question->trade},
               [this, question](const market::stored_trade& stored) {
                 if (!stored.found)
                   return question.answer(
                     refusal{refusal_code::not_found, "there is no trade " + std::to_string(question->trade)});
                 auto receipt = market::receipt_of(*stored.found, question->trade);
                 receipt.held = stored.held;
                 receipt.balance = account_->balance();
                 question.answer(std::move(receipt));
               });
    });
  }

  // The change is committed whatever happens here: a balance that cannot be read is left out.
  void on(const trade_landed& landed) {
    const handling here{kind, {}};
    auto receipt = landed.receipt;
    come_home(landed.money);
    if (!failed_) {
      const auto& funds = receipt.done.funds;
      const bool good = (receipt.done.order.way == market::direction::buy ? account_->left(funds, landed.as_of)
                                                                          : account_->came(funds, landed.as_of))
                        && account_->came(landed.donation, landed.as_of);
      if (good)
        receipt.balance = account_->balance();
      else
        start_afresh();
    }
    landed.question.answer(std::move(receipt));
    serve_waiting();
  }

  void on(const opening_landed& landed) {
    const handling here{kind, {}};
    come_home(landed.money);
    if (!failed_ && !account_->left(landed.opened.creation_cost, landed.as_of))
      start_afresh();
    landed.question.answer(landed.opened);
    serve_waiting();
  }

  void on(const donation_landed& landed) {
    const handling here{kind, {}};
    if (!failed_)
      account_->came(landed.amount, landed.as_of);
    serve_waiting();
  }

  void on(const hold_over& over) {
    --holds_out_;
    account_->put_back(over.amount);
    if (over.fate == hold::fate::unknown)
      return start_afresh();
    serve_waiting();
    leave_when_done();
  }

  /// What was set aside for changes is back, all of it.
  void on(const write_outcome& outcome) {
    writing_entity_actor::on(outcome);
    serve_waiting();
  }

  void take_back() {} // each withdrawal puts its money back

  void start_afresh() {
    ask_for_another_life();
    revoke_all();
    lose_writes();
    for (auto& each : std::exchange(waiting_, {}))
      each.second(failure::unavailable);
    leave_when_done();
  }

  std::vector<figure> in_memory() const {
    auto out = account_ ? account_->in_memory() : std::vector<figure>{};
    out.emplace_back("pendingChanges", writes_.size());
    out.emplace_back("holdsOut", holds_out_);
    out.emplace_back("waitingForMoney", waiting_.size());
    return out;
  }

  bool at_rest() const noexcept { return waiting_.empty() && (failed_ || holds_out_ == 0); }

private:
  /// Sets money aside, `most` of it or everything, and lets the market decide.
  template <class Q>
  void spend(const ask<Q>& question, const std::optional<wei>& most) {
    change_with(question, [&] {
      if (must_wait(most))
        return wait(question, [this, question, most] { spend(question, most); });
      const auto there = account_->available();
      const auto amount = most ? std::min(*most, there) : there;
      account_->set_aside(amount);
      ++holds_out_;
      auto money = std::make_shared<hold>(amount, incarnation_, [me = weak_actor_ref{this_actor()}](const hold& over) {
        send(actor_handle<hold_over>{me.lock()}, hold_over{over.amount(), over.now()});
      });
      std::erase_if(out_, [](const auto& each) { return each.expired(); });
      out_.push_back(money);
      hand_on(market::funded<Q>{question, std::move(money)});
    });
  }

  /// Whether more is asked for than is there while some is on its way in or set aside, and may come back.
  bool must_wait(const std::optional<wei>& most) const {
    return (holds_out_ > 0 || !writes_.empty()) && (!most || *most > account_->available());
  }
  template <class Q>
  void wait(const ask<Q>& question, std::function<void()> then) {
    waiting_.emplace_back(std::move(then), [question](failure why) { question.fail(why); });
  }

  template <class Funded>
  void hand_on(Funded change) {
    post(with_->others->markets.to(), std::move(change));
  }

  void come_home(const hold_ptr& money) {
    if (money->of() != incarnation_)
      return;
    --holds_out_;
    account_->put_back(money->amount());
  }

  void serve_waiting() {
    for (auto& each : std::exchange(waiting_, {}))
      each.first();
    leave_when_done();
  }

  /// The next funds actor of this profile knows nothing of what this one set aside.
  void revoke_all() noexcept {
    for (const auto& each : std::exchange(out_, {}))
      if (const auto money = each.lock())
        money->revoke();
  }

  using waiting = std::pair<std::function<void()>, std::function<void(failure)>>;

  const std::uint64_t incarnation_ = next_incarnation();
  std::optional<account> account_;
  int holds_out_ = 0;
  std::vector<std::weak_ptr<hold>> out_; // some of them are over
  std::deque<waiting> waiting_;          // for money that is set aside
};

class funds_router : public entity_router<funds_router, accounts, context> {
public:
  static inline const char* name = "funds_router";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_profiles_max, limits.waiting_per_profile_max, failure::too_many};
  }
  auto spawn(birth<accounts, context> born) { return spawn_entity<funds_actor>(system(), std::move(born)); }

  // A funds actor does not stop before what it has set aside is back.
  void on(const trade_landed& landed) { kids().tell_before_it_stops(landed.question->trader, landed); }
  void on(const opening_landed& landed) { kids().tell_before_it_stops(landed.question->owner, landed); }
  void on(const donation_landed& landed) { kids().tell_if_live(landed.owner, landed); }
  void on(const mark_stale<profile_id>& who) { kids().refresh(who.id); }
};

} // namespace

funds_handle spawn_funds(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<funds_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::funds
