#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/profile/profile_family.hpp"

namespace credence::profile {

namespace {

using namespace std::chrono_literals;

/// A balance read from the database is believed this long before somebody is told that
/// it is too low, or the audit is told of it.
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
  storage_.read(*this, load_xp{id_})
    .then(
      [this, done](const stored_xp& stored) {
        if (!failed_)
          xp_.emplace(stored);
        xp_read_at_ = steady_clock::now();
        done(true);
      },
      [done](failure) { done(false); });
}

template <class Q, class F>
void profile_actor::with_fresh_xp(const ask<Q>& question, F then) {
  const auto now = steady_clock::now();
  if (now - xp_read_at_ < xp_believed_for)
    return then();
  xp_read_at_ = now;
  load_for(question, load_xp{id_}, [this, question, then](const stored_xp& stored) {
    xp_->refresh(stored);
    if (failed_ || closed())
      return question.fail(failure::unavailable);
    then();
  });
}

void profile_actor::on(const ask<send_tip>& question) {
  read(question, [&] {
    with_xp([this, question](bool there) {
      if (!there)
        return question.fail(failure::unavailable);
      change_with(question, [&] {
        if (question->amount <= xp_->available())
          return decide_tip(question);
        with_fresh_xp(question, [this, question] { decide_tip(question); });
      });
    });
  });
}

void profile_actor::decide_tip(const ask<send_tip>& question) {
  auto decision = xp_->decide(*question, with_->people->status_of(question->receiver), with_->now());
  if (!decision)
    return refuse(question, decision.why(), [this, question] { ask_again(question); });
  if (question->dry_run)
    return question.answer(tip_receipt{});
  const auto amount = decision->amount;
  xp_->leave(amount);
  others_->push_back(decision->receiver);
  write(
    question, *std::move(decision),
    [this, question, amount](const write_outcome& outcome) {
      xp_->left(amount, outcome.as_of);
      xp_changed(outcome.as_of);
      post(with_->others->profiles.to(), tip_landed{question, {outcome.number, xp_->balance(), 0}, outcome.as_of});
      others_->erase(others_->begin());
    },
    {}, [this, question] { ask_again(question); });
}

/// Tells caches and leaderboards of the new balance.
void profile_actor::xp_changed(global_seq as_of) {
  with_->people->touch(id_);
  send(with_->others->market_lists.to(), market::xp_moved{id_, xp_->balance(), as_of});
}

void profile_actor::on(const tip_landed& landed) {
  const handling here{kind, {}};
  with_xp([this, landed](bool there) {
    if (there) {
      xp_->came(landed.question->amount, landed.as_of);
      xp_changed(landed.as_of);
      auto receipt = landed.receipt;
      receipt.receiver_balance = xp_->balance();
      return landed.question.answer(receipt);
    }
    // The tip is committed. What this profile has is read once more; where that fails, too, the sender is told that
    // the outcome is not known, as an answer without it would be none.
    load_for(landed.question, get_receipt{landed.question->sender, landed.receipt.id},
             [question = landed.question](const std::optional<tip_receipt>& found) {
               if (found)
                 question.answer(*found);
               else
                 question.fail(failure::unavailable);
             });
  });
}

// -- grants ----------------------------------------------------------------------------------

void profile_actor::on(const ask<grant_xp>& question) {
  read(question, [&] {
    with_xp([this, question](bool there) {
      if (!there)
        return question.fail(failure::unavailable);
      change_with(question, [&] { with_fresh_xp(question, [this, question] { decide_grant(question); }); });
    });
  });
}

void profile_actor::decide_grant(const ask<grant_xp>& question) {
  auto decision = xp_->decide(*question, with_->now());
  if (!decision)
    return refuse(question, decision.why(), [this, question] { ask_again(question); });
  xp_->arrive(question->amount);
  others_->push_back(id_); // whoever comes after this actor reads what was granted
  write(
    question, *std::move(decision),
    [this, question](const write_outcome& outcome) {
      xp_->arrived(question->amount, outcome.as_of);
      xp_changed(outcome.as_of);
      question.answer(grant_receipt{outcome.number, xp_->balance()});
      others_->erase(others_->begin());
    },
    {}, [this, question] { ask_again(question); });
}

void profile_actor::on(const ask<get_grant>& question) {
  look_up(question, [grant = question->grant] {
    return refusal{refusal_code::not_found, "there is no grant " + std::to_string(grant) + " to this profile"};
  });
}

// -- reading ---------------------------------------------------------------------------------

void profile_actor::on(const ask<get_tips>& question) { pass_on(question, *question); }

void profile_actor::on(const ask<get_receipt>& question) {
  look_up(question, [tip = question->tip] {
    return refusal{refusal_code::not_found, "you have sent no tip " + std::to_string(tip)};
  });
}

void profile_actor::on(const ask<get_tip_figures>& question) { pass_on(question, *question); }

} // namespace credence::profile
