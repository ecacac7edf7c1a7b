#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/profile/profile_family.hpp"

namespace credence::profile {

namespace {

using namespace std::chrono_literals;

/// A balance read from the database is believed this long before somebody is told that
/// it is too low: other programs give out XP as well.
constexpr auto xp_believed_for = 1s;

} // namespace

template <class F>
void profile_actor::with_xp(F then) {
  if (xp_ || failed_)
    return then(!failed_);
  waiting_for_xp_.push_back(std::move(then));
  if (waiting_for_xp_.size() > 1)
    return;
  const auto done = [this](bool there) {
    for (const auto& each : std::exchange(waiting_for_xp_, {}))
      each(there && !failed_);
    leave_when_done();
  };
  self_->request(storage_.reader, cold_patience, load_xp{id_})
    .then(
      [this, done](const stored_xp& stored) {
        if (!failed_)
          xp_.emplace(stored);
        xp_read_at_ = steady_clock::now();
        done(true);
      },
      [done](const caf::error&) { done(false); });
}

void profile_actor::on(const ask<send_tip>& asked) {
  read(asked, [&] {
    with_xp([this, asked](bool there) {
      if (!there)
        return asked.fail(failure::unavailable);
      change_with(asked, [&] {
        const auto now = steady_clock::now();
        if (asked->amount <= xp_->available() || now - xp_read_at_ < xp_believed_for)
          return decide_tip(asked);
        xp_read_at_ = now;
        load_for<stored_xp>(asked, load_xp{id_}, [this, asked](const stored_xp& stored) {
          xp_->refresh(stored);
          if (failed_ || closed())
            return asked.fail(failure::unavailable);
          decide_tip(asked);
        });
      });
    });
  });
}

void profile_actor::decide_tip(const ask<send_tip>& asked) {
  auto decision = xp_->decide(*asked, with_->now());
  if (!decision)
    return refuse(asked, decision.why(), [this, asked] { ask_again(asked); });
  const auto amount = decision->amount;
  xp_->leave(amount);
  others_->push_back(decision->receiver);
  write(
    asked, *std::move(decision),
    [this, asked, amount](const write_outcome& what) {
      xp_->left(amount, what.as_of);
      xp_changed(what.as_of);
      post(with_->others->profiles.to(), tip_landed{asked, {what.number, xp_->balance(), 0}, what.as_of});
      others_->erase(others_->begin());
    },
    {}, [this, asked] { ask_again(asked); });
}

/// Everybody who shows it hears of it.
void profile_actor::xp_changed(global_seq as_of) {
  with_->people->touch(id_);
  caf::anon_send(with_->others->market_lists.to(), market::xp_moved{id_, xp_->balance(), as_of});
}

void profile_actor::on(const tip_landed& what) {
  const handling here{kind, {}};
  with_xp([this, what](bool there) {
    if (there) {
      xp_->came(what.asked->amount, what.as_of);
      xp_changed(what.as_of);
      auto receipt = what.receipt;
      receipt.receiver_balance = xp_->balance();
      return what.asked.answer(receipt);
    }
    // The tip is committed. What this profile has is read once more; where that fails, too, the sender is told that
    // the outcome is not known, as an answer without it would be none.
    load_for<stored_receipt>(what.asked, load_receipt{what.asked->sender, what.receipt.id}, [asked = what.asked](const stored_receipt& stored) {
      if (stored.found)
        asked.answer(*stored.found);
      else
        asked.fail(failure::unavailable);
    });
  });
}

void profile_actor::on(const ask<get_tips>& asked) { pass_on(asked, load_tips{id_, asked->side, asked->slice}); }

void profile_actor::on(const ask<get_receipt>& asked) {
  read(asked, [&] {
    load_for<stored_receipt>(asked, load_receipt{id_, asked->tip}, [asked](const stored_receipt& stored) {
      if (stored.found)
        asked.answer(*stored.found);
      else
        asked.answer(refusal{refusal_code::not_found, "you have sent no tip " + std::to_string(asked->tip)});
    });
  });
}

void profile_actor::on(const ask<get_tip_figures>& asked) { pass_on(asked, load_tip_figures{id_}); }

} // namespace credence::profile
