#include "actors/profile/profile_plumbing.hpp"

#include <caf/actor_system.hpp>

namespace credence::profile {

void profile_plumbing::start(pointer self, profile_id id, const std::shared_ptr<const context>& with,
                             profile_supervisor router, bystanders receivers) {
  self_ = self;
  id_ = id;
  with_ = with;
  router_ = std::move(router);
  receivers_ = std::move(receivers);
  // Nothing else is handled until the stored votes are in.
  self->request(with_->storage.reader, with_->load_timeout, load_profile{id})
    .await(
      [this](stored_profile& stored) {
        xp_.emplace(stored_xp{stored.xp, stored.as_of});
        xp_read_at_ = steady_clock::now();
        rules_.emplace(std::move(stored));
      },
      [this](const caf::error&) { give_up(); });
}

// -- votes ---------------------------------------------------------------------------------

void profile_plumbing::on_balance(const ask<get_balance>& asked) {
  read(asked, [&] {
    if (!with_->calendar->get())
      return asked.fail(failure::unavailable);
    asked.answer(rules_->balance(*asked, around()));
  });
}

void profile_plumbing::on_own_votes(const ask<get_own_votes>& asked) {
  read(asked, [&] { asked.answer(rules_->votes_in(asked->in)); });
}

void profile_plumbing::on_landed(const vote_landed& what) {
  const handling here{kind, {}};
  project::vote_receipt receipt{what.vote.side, std::nullopt};
  // The vote is committed whatever happens here: a balance that cannot be read is left out.
  if (!failed_ && with_->calendar->get()) {
    rules_->learn(what.vote, what.as_of);
    if (const auto* period = with_->calendar->get()->find(what.vote.in)) {
      const get_balance question{what.asked->voter, what.vote.project, {period->year, period->number}};
      if (auto view = rules_->balance(question, around()))
        receipt.new_balance = view->balance;
    }
  }
  what.asked.answer(receipt);
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
  leave_when_done();
}

bool profile_plumbing::at_rest() const noexcept { return waiting_for_credentials_.empty(); }

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
