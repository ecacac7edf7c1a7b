#include "actors/profile/profile_plumbing.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <iterator>

namespace credence::profile {

void profile_plumbing::start(pointer self, profile_id id, const std::shared_ptr<const context>& with,
                             profile_supervisor router, bystanders receivers) {
  self_ = self;
  id_ = id;
  with_ = with;
  if (const auto* periods = with_->calendar->get())
    rules_ = profile_state{periods->current().id};
  router_ = std::move(router); // each part is read when somebody first asks for it
  receivers_ = std::move(receivers);
}

// -- votes ---------------------------------------------------------------------------------

/// Runs `then`, with whether they are there, once the votes of that period have been read.
template <class F>
void profile_plumbing::with_votes(period_id in, F then) {
  if (rules_.knows(in))
    return then(true);
  const bool first = std::none_of(waiting_for_votes_.begin(), waiting_for_votes_.end(), [&](const auto& each) { return each.in == in; });
  if (first && rules_.begin(in))
    return then(true);
  waiting_for_votes_.push_back({in, std::move(then)});
  if (!first)
    return;
  self_->request(with_->storage.reader, cold_patience, load_profile{id_, in})
    .then(
      [this, in](stored_profile& stored) {
        rules_.take_in(in, std::move(stored));
        on_votes(in, true);
      },
      [this, in](const caf::error&) {
        on_votes(in, false);
      });
}

void profile_plumbing::on_votes(period_id in, bool there) {
  const auto theirs = std::stable_partition(waiting_for_votes_.begin(), waiting_for_votes_.end(),
                                            [&](const auto& each) { return each.in != in; });
  std::vector<waiting_for_votes> now{std::make_move_iterator(theirs), std::make_move_iterator(waiting_for_votes_.end())};
  waiting_for_votes_.erase(theirs, waiting_for_votes_.end());
  for (const auto& each : now)
    each.then(there && !failed_);
  leave_when_done();
}

void profile_plumbing::on_balance(const ask<get_balance>& asked) {
  read(asked, [&] {
    if (!with_->calendar->get())
      return asked.fail(failure::unavailable);
    const auto period = profile_state::period_of(*asked, around());
    if (!period)
      return asked.answer(period.why());
    with_votes(*period, [this, asked](bool there) {
      if (!there)
        return asked.fail(failure::unavailable);
      asked.answer(rules_.balance(*asked, around()));
    });
  });
}

void profile_plumbing::on_own_votes(const ask<get_own_votes>& asked) {
  read(asked, [&] {
    with_votes(asked->in, [this, asked](bool there) {
      if (!there)
        return asked.fail(failure::unavailable);
      asked.answer(rules_.votes_in(asked->in));
    });
  });
}

/// The vote is committed whatever happens here: a balance that cannot be read is left out.
void profile_plumbing::on_landed(const vote_landed& what) {
  const handling here{kind, {}};
  if (failed_)
    return what.asked.answer(project::vote_receipt{what.vote.side, std::nullopt});
  with_votes(what.vote.in, [this, what](bool there) {
    project::vote_receipt receipt{what.vote.side, std::nullopt};
    rules_.learn(what.vote); // that the rows read hold it already changes nothing
    const auto* period = with_->calendar->get() ? with_->calendar->get()->find(what.vote.in) : nullptr;
    if (there && period)
      receipt.new_balance = balance_after_vote(rules_.count(what.vote.in), *period);
    what.asked.answer(receipt);
  });
}

// -- changes -------------------------------------------------------------------------------

void profile_plumbing::drop_pending() {
  receivers_->clear();
  if (xp_)
    xp_->take_back();
  if (credentials_)
    credentials_->take_back();
}

/// Memory may differ from the database: everybody who waits is told so, and the router
/// starts this profile afresh from committed rows.
void profile_plumbing::give_up() {
  failed_ = true;
  drop_pending();
  caf::anon_send(with_->others->people, people::look_again{{id_}}); // perhaps it is archived since
  caf::anon_send(router_, wants_out<profile_id>{id_});
  lose_writes();
  for (const auto& each : std::exchange(waiting_for_credentials_, {}))
    each(false);
  for (const auto& each : std::exchange(waiting_for_xp_, {}))
    each(false);
  for (const auto& each : std::exchange(waiting_for_votes_, {}))
    each.then(false);
  leave_when_done();
}

bool profile_plumbing::at_rest() const noexcept {
  return waiting_for_votes_.empty() && waiting_for_xp_.empty() && waiting_for_credentials_.empty();
}

namespace {

profile_entity::behavior_type behave(profile_plumbing::pointer self, profile_id id,
                                     const std::shared_ptr<const context>& with, profile_supervisor router,
                                     bystanders receivers) {
  auto& state = self->state;
  state.start(self, id, with, std::move(router), std::move(receivers));
  return {
    [&state](const ask<get_balance>& asked) { state.on_balance(asked); },
    [&state](const ask<get_own_votes>& asked) { state.on_own_votes(asked); },
    [&state](const vote_landed& what) { state.on_landed(what); },
    [&state](const votes_landed& all) {
      for (const auto& each : all.votes)
        state.on_landed(each);
    },
    [&state](const ask<send_tip>& asked) { state.on_tip(asked); },
    [&state](const ask<get_tips>& asked) { state.on_tips(asked); },
    [&state](const ask<get_tip_figures>& asked) { state.on_tip_figures(asked); },
    [&state](const ask<get_receipt>& asked) { state.on_receipt(asked); },
    [&state](const tip_landed& what) { state.on_tip_landed(what); },
    [&state](const ask<create_key>& asked) { state.on_create_key(asked); },
    [&state](const ask<list_keys>& asked) { state.on_list_keys(asked); },
    [&state](const ask<revoke_key>& asked) { state.on_revoke_key(asked); },
    [&state](const ask<check_credential>& asked) { state.on_check(asked); },
    [&state](const ask<open_session>& asked) { state.on_open_session(asked); },
    [&state](const ask<refresh_session>& asked) { state.on_refresh(asked); },
    [&state](const ask<end_session>& asked) { state.on_end_session(asked); },
    [&state](const ask<end_other_sessions>& asked) { state.on_end_other_sessions(asked); },
    [&state](const ask<list_sessions>& asked) { state.on_list_sessions(asked); },
    [&state](const write_outcome& what) { state.on_outcome(what); },
    [&state](passivate) { state.on_passivate(); },
  };
}

} // namespace

profile_entity spawn_profile(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                             profile_supervisor router, bystanders receivers) {
  return sys.spawn(behave, id, with, std::move(router), std::move(receivers));
}

} // namespace credence::profile
