#include "actors/directory.hpp"
#include "actors/kernel/handling.hpp"
#include "actors/profile/profile_entity.hpp"
#include "actors/profile/profile_state.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <optional>

namespace credence::profile {

namespace {

constexpr auto kind = ops::actor_kind::profile;

class profile_plumbing {
public:
  static inline const char* name = "profile";

  using pointer = profile_entity::stateful_pointer<profile_plumbing>;

  void start(pointer self, profile_id id, const std::shared_ptr<const context>& with,
             profile_supervisor router) {
    self_ = self;
    with_ = with;
    // Nothing else is handled until the stored votes are in.
    self->request(with_->storage.reader, with_->load_timeout, load_profile{id})
      .await([this](stored_profile& stored) { rules_.emplace(std::move(stored)); },
             [this, id, router = std::move(router)](const caf::error&) {
               failed_ = true;
               caf::anon_send(router, wants_out<profile_id>{id});
             });
  }

  template <class Q, class F>
  void read(const ask<Q>& asked, F&& answer) {
    const handling here{kind, asked.get()->sent_at()};
    if (failed_ || !with_->calendar->get())
      return asked.fail(failure::unavailable);
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    answer();
  }

  void on_balance(const ask<get_balance>& asked) {
    read(asked, [&] { asked.answer(rules_->balance(*asked, around())); });
  }

  void on_own_votes(const ask<get_own_votes>& asked) {
    read(asked, [&] { asked.answer(rules_->votes_in(asked->in)); });
  }

  void on_landed(const vote_landed& what) {
    const handling here{kind, {}};
    project::vote_receipt receipt{what.vote.side, std::nullopt};
    // The vote is committed whatever happens here: a balance that cannot be read is left out.
    if (!failed_) {
      rules_->learn(what.vote, what.as_of);
      if (const auto* period = with_->calendar->get()->find(what.vote.in)) {
        const get_balance question{what.asked->voter, what.vote.project, {period->year, period->number}};
        if (auto view = rules_->balance(question, around()))
          receipt.new_balance = view->balance;
      }
    }
    what.asked.answer(receipt);
  }

  void on_passivate() { self_->quit(); }

private:
  profile_state::surroundings around() const { return {*with_->calendar->get(), *with_->projects}; }

  pointer self_ = nullptr;
  std::shared_ptr<const context> with_;
  std::optional<profile_state> rules_;
  bool failed_ = false; // refuses everything until it is let go
};

profile_entity::behavior_type behave(profile_plumbing::pointer self, profile_id id,
                                     const std::shared_ptr<const context>& with, profile_supervisor router) {
  auto& state = self->state;
  state.start(self, id, with, std::move(router));
  return {
    [&state](const ask<get_balance>& asked) { state.on_balance(asked); },
    [&state](const ask<get_own_votes>& asked) { state.on_own_votes(asked); },
    [&state](const vote_landed& what) { state.on_landed(what); },
    [&state](passivate) { state.on_passivate(); },
  };
}

} // namespace

profile_entity spawn_profile(caf::actor_system& sys, profile_id id, const std::shared_ptr<const context>& with,
                             profile_supervisor router) {
  return sys.spawn(behave, id, with, std::move(router));
}

} // namespace credence::profile
