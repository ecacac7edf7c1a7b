#include "actors/directory.hpp"
#include "actors/kernel/router.hpp"
#include "actors/profile/cold_voters.hpp"
#include "actors/profile/profile_entity.hpp"
#include "actors/profile/profile_state.hpp"

#include <caf/actor_system.hpp>

namespace credence::profile {

namespace {

using router_handle = profile_handle::extend<
  caf::reacts_to<wants_out<profile_id>>, caf::reacts_to<child_gone<profile_id>>, caf::reacts_to<sweep>>;
struct state_type : router_state<profile_id, profile_entity, router_handle> {
  static inline const char* name = "profiles";
  std::optional<cold_voters> cold;
};
using self_pointer = router_handle::stateful_pointer<state_type>;

/// A count that takes longer is left out of the answers: the votes are committed, and their voters wait.
constexpr std::chrono::milliseconds count_patience{1000};

void count_cold(self_pointer self, const std::shared_ptr<const context>& with);

/// Answers votes; `counted` is empty when that could not be read.
void answer_cold(self_pointer self, const std::shared_ptr<const context>& with, const std::vector<vote_landed>& votes,
                 const std::vector<vote_count>& counted) {
  const auto* periods = with->calendar->get();
  for (std::size_t i = 0; i < votes.size(); ++i) {
    project::vote_receipt receipt{votes[i].vote.side, std::nullopt};
    const auto* period = periods && i < counted.size() ? periods->find(votes[i].vote.in) : nullptr;
    if (period)
      receipt.new_balance = balance_after_vote(counted[i], *period);
    votes[i].asked.answer(receipt);
  }
  self->state.cold->counted();
  count_cold(self, with);
}

/// Counts what gathered while others were being counted.
void count_cold(self_pointer self, const std::shared_ptr<const context>& with) {
  auto votes = self->state.cold->next();
  if (votes.empty())
    return;
  ops::the_metrics().votes.cold.add(static_cast<std::int64_t>(votes.size()));
  count_votes question;
  question.voters.reserve(votes.size());
  for (const auto& each : votes)
    question.voters.push_back({each.asked->voter, each.vote.in});
  const auto shared = std::make_shared<const std::vector<vote_landed>>(std::move(votes));
  self->request(with->storage.reader, count_patience, std::move(question))
    .then([self, with, shared](const counted_votes& found) { answer_cold(self, with, *shared, found.counts); },
          [self, with, shared](const caf::error&) { answer_cold(self, with, *shared, {}); });
}

void on_landed(self_pointer self, const std::shared_ptr<const context>& with, std::vector<vote_landed>& votes) {
  auto& state = self->state;
  for (auto& each : votes) {
    const auto voter = each.asked->voter;
    if (state.kids->tell_live(voter, each))
      continue;
    if (state.cold->again(voter))
      state.kids->tell(voter, std::move(each));
    else
      state.cold->add(std::move(each));
  }
  count_cold(self, with);
}

router_handle::behavior_type behave(self_pointer self, const std::shared_ptr<const context>& with) {
  self->state.start(self,
                    {.kind = ops::actor_kind::profile,
                     .live_max = with->limits.live_profiles_max,
                     .waiting_max = static_cast<std::int32_t>(with->limits.waiting_per_profile_max),
                     .when_full = failure::too_many,
                     .idle_stop = with->limits.idle_stop,
                     .writes = true,
                     .storage = with->storage.status},
                    with->storage.writer, [self, with](profile_id id, const bystanders& receivers) {
                      return spawn_profile(self->system(), id, with, profile_supervisor{self}, receivers);
                    });
  self->state.after_loss = [with, me = profile_handle{self}](profile_id lost, const std::vector<profile_id>& receivers) {
    if (receivers.empty())
      return;
    with->people->touch(lost);
    for (const auto receiver : receivers) {
      with->people->touch(receiver);
      caf::anon_send(me, may_be_behind<profile_id>{receiver});
    }
    caf::anon_send(with->others->market_lists, market::xp_in_doubt{});
  };
  self->state.cold.emplace(with->limits.live_profiles_max);
  const auto forward = [self](const auto& asked) { self->state.kids->forward(asked->profile, asked); };
  return {
    [forward](const ask<get_balance>& asked) { forward(asked); },
    [forward](const ask<get_own_votes>& asked) { forward(asked); },
    [self, with](votes_landed& all) { on_landed(self, with, all.votes); },
    [self](const ask<send_tip>& asked) { self->state.kids->forward(asked->sender, asked); },
    [forward](const ask<get_tips>& asked) { forward(asked); },
    [forward](const ask<get_tip_figures>& asked) { forward(asked); },
    [forward](const ask<get_receipt>& asked) { forward(asked); },
    [self](const tip_landed& what) { self->state.kids->tell(what.asked->receiver, what); },
    [self](const ask<create_key>& asked) { self->state.kids->forward(asked->key.profile, asked); },
    [forward](const ask<list_keys>& asked) { forward(asked); },
    [forward](const ask<revoke_key>& asked) { forward(asked); },
    [forward](const ask<check_credential>& asked) { forward(asked); },
    [self](const ask<open_session>& asked) { self->state.kids->forward(asked->opened.profile, asked); },
    [forward](const ask<refresh_session>& asked) { forward(asked); },
    [forward](const ask<end_session>& asked) { forward(asked); },
    [forward](const ask<end_other_sessions>& asked) { forward(asked); },
    [forward](const ask<list_sessions>& asked) { forward(asked); },
    [self](may_be_behind<profile_id> who) { self->state.kids->refresh(who.id); },
    [self](wants_out<profile_id> who) { self->state.kids->on_wants_out(who.id); },
    [self](const child_gone<profile_id>& who) { self->state.kids->on_gone(who); },
    [self](sweep) { self->state.on_sweep(self); },
  };
}

} // namespace

profile_handle spawn_profile_router(caf::actor_system& sys, std::shared_ptr<const context> with) {
  return sys.spawn(behave, std::move(with));
}

} // namespace credence::profile
