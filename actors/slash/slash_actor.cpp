#include "actors/slash/slash_actor.hpp"

#include "actors/chain/record_kinds.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/slash/slash_state.hpp"
#include "config/limits.hpp"
#include "ops/log.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace credence::slash {

namespace {

using namespace std::chrono_literals;

constexpr auto closing_deadline = 10s;
constexpr auto closing_retry_after = 60s; // of one that the database refused
constexpr std::chrono::days cooldown{limits::slash_cooldown_days};

/// Something that is told once the changes sent before it are committed.
struct waiting {
  std::uint64_t behind = 0;
  std::function<void()> go_on;
  std::function<void()> when_lost;
};

class slash_actor
  : public writing<
      single_actor<slash_actor, ops::actor_kind::slash, slash_handle, context, storage, write_outcome, tick, reload>> {
public:
  static inline const char* name = "slash";
  using single_actor::on;

  void start_up() { load(); }

  // -- changes ------------------------------------------------------------------------

  void on(const ask<open_slash>& question) {
    read(question, [&] {
      if (followed())
        return question.answer(chain::made_of_events(chain::record_kind::slash));
      if (!ready(question))
        return;
      if (question->type != slash_type::xp || !question->subject.profile)
        return open(question, {});
      // What is read here may be spent before the slash is stored; then the database refuses it.
      load_for(question, load_xp_at_hand{question->author, *question->subject.profile},
               [this, question](const xp_at_hand& xp) {
                 if (ready(question))
                   open(question, xp);
               });
    });
  }

  void on(const ask<cast_slash_vote>& question) {
    decide_on_ours(question, [&] {
      if (rules_->knows(question->slash, question->voter))
        return vote(question);
      votes_ahead_.push_back(question);
    });
  }

  void on(const ask<cancel_slash>& question) {
    decide_on_ours(question, [&] {
      const auto decision = rules_->decide(*question, with_->now());
      if (!decision)
        return answer_later(question, decision.why());
      auto closed = *rules_->find(decision->slash);
      closed.closed = decision->end;
      if (question->dry_run)
        return answer_later(question, std::move(closed));
      carry_out(question, *decision, profile_id{}, std::move(closed));
    });
  }

  void each_second() { close_due(); }

  void on(const write_outcome& outcome) {
    in_doubt_ = outcome.result == write_result::in_doubt;
    if (in_doubt_) // may take long; what is committed stays readable
      return let_go(reads_, sent_);
    switch (writes_.on_outcome(outcome)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::refused: refused_ = true; [[fallthrough]]; // the oldest one, alone
      case pending_writes::verdict::taken_back: return start_afresh();
    }
    stored_ = sent_ - writes_.size();
    let_go(answers_, stored_);
    let_go(reads_, stored_);
  }

  // -- reads, of committed rows ---------------------------------------------------------

  void on(const ask<get_slash>& question) {
    read_committed(question, *question, [question](const std::optional<slash_record>& found) {
      if (found)
        question.answer(*found);
      else
        question.answer(refusal{refusal_code::not_found, "there is no slash " + std::to_string(question->slash.value)});
    });
  }

  void on(const ask<find_slashes>& question) {
    read_committed(question, *question, [question](slash_page& found) { question.answer(std::move(found)); });
  }

  void on(const ask<get_roles>& question) {
    read_committed(question, load_roles{question->slash, question->profiles, question->viewer},
                   [question](stored_roles& found) {
                     if (found.exists)
                       question.answer(std::move(found.roles));
                     else
                       question.answer(refusal{refusal_code::not_found, "Slash not found"});
                   });
  }

  void on(const ask<get_ballots>& question) {
    read_committed(question, load_ballots{question->slash, {}, question->most},
                   [question](stored_ballots& found) { question.answer(std::move(found.ballots)); });
  }

  /// Reads what is not known yet: the slashes that are open, then their ballots, piece by piece. Rules are
  /// needed only where something can be written; by then the clock is right, which says who was slashed lately.
  void load() {
    if (rules_)
      return load_ballots_wanted();
    if (!storage_.status->writable.load(std::memory_order_relaxed))
      return reload_soon();
    storage_.read(*this, with_->load_timeout, load_open_slashes{with_->now() - cooldown})
      .await(
        [this](stored_open_slashes& stored) {
          rules_.emplace(std::move(stored), *with_->people);
          close_due();
          load_ballots_wanted();
        },
        [this](failure) { reload_soon(); });
  }

private:
  void load_ballots_wanted() {
    const auto next = rules_->wanted();
    if (!next)
      return vote_those_ahead(); // a slash may have closed before its ballots came
    storage_.read(*this, with_->load_timeout, *next)
      .then(
        [this, question = *next, generation = generation_](const stored_ballots& came) {
          if (generation != generation_)
            return; // of rules that were given up
          rules_->take(question, came);
          vote_those_ahead();
          load_ballots_wanted();
        },
        [this, generation = generation_](failure) {
          if (generation == generation_)
            reload_soon();
        });
  }

  /// Votes that came before the ballots of their voters.
  void vote_those_ahead() {
    const auto now = steady_clock::now();
    for (const auto& question : std::exchange(votes_ahead_, {}))
      if (question.get()->expired(now))
        question.fail(failure::timed_out);
      else if (!rules_->knows(question->slash, question->voter))
        votes_ahead_.push_back(question);
      else if (ready(question))
        vote(question);
  }

  bool followed() const { return with_->followed.contains(chain::record_kind::slash); }

  /// Where events make slashes, those that were opened over the API before go on as they began.
  template <class Q, class F>
  void decide_on_ours(const ask<Q>& question, F&& decide) {
    read(question, [&] {
      if (!ready(question))
        return;
      if (followed() && !rules_->find(question->slash))
        return question.answer(chain::made_of_events(chain::record_kind::slash));
      decide();
    });
  }

  /// False when the question has been answered, as nothing can be decided now.
  template <class Q>
  bool ready(const ask<Q>& question) {
    if (!rules_)
      question.fail(failure::unavailable);
    else if (can_write(question)) {
      close_due();
      return true;
    }
    return false;
  }

  void open(const ask<open_slash>& question, const xp_at_hand& xp) {
    const auto decision = rules_->decide(*question, with_->now(), xp);
    if (!decision)
      return answer_later(question, decision.why());
    if (question->dry_run)
      return answer_later(question, decision->record);
    carry_out(question, *decision, question->author, decision->record);
  }

  /// The stakes of a slash for XP have moved with it: whoever remembers what the two have reads it again.
  void stakes_moved(const slash_record& of) {
    if (of.type != slash_type::xp)
      return;
    for (const auto who : {of.author, of.subject.profile.value_or(profile_id{})}) {
      with_->people->touch(who);
      credence::send(with_->others->profiles.to(), mark_stale<profile_id>{who});
    }
    credence::send(with_->others->market_lists.to(), market::mark_xp_stale{});
  }
  template <class Vote>
  void stakes_moved(const Vote&) const noexcept {} // it moves none

  void vote(const ask<cast_slash_vote>& question) {
    const auto decision = rules_->decide(*question, with_->now());
    if (!decision)
      return answer_later(question, decision.why());
    if (!decision->change || question->dry_run)
      return answer_later(question, decision->receipt);
    carry_out(question, *decision->change, question->voter, decision->receipt);
  }

  /// Answers without a change. What is said may rest on changes that are not committed yet: it waits for them.
  template <class Q>
  void answer_later(const ask<Q>& question, outcome<typename Q::answer_type> answer) {
    wait(answers_, {sent_, [question, answer = std::move(answer)] { question.answer(answer); },
                    [question] { question.fail(failure::unavailable); }});
  }

  /// Applies and sends the change, and answers once it is committed. `whose` change it is, if a profile's.
  template <class Q, class Change>
  void carry_out(const ask<Q>& question, const Change& change, profile_id whose, typename Q::answer_type answer) {
    rules_->apply(change);
    send(change, question.get()->deadline(), question.get()->context(),
         {[this, question, answer = std::move(answer)](const write_outcome&) {
            stakes_moved(answer);
            question.answer(answer);
          },
          [this, question, whose](failure why) {
            const bool refused = std::exchange(refused_, false);
            if (refused && whose) // perhaps it is archived since
              credence::send(with_->others->people.to(), people::invalidate{{whose}});
            question.fail(refused ? failure::refused : why);
          }});
  }

  /// What is over closes by time, once: from here on it is closed for every decision. One whose closing the database
  /// refuses takes no votes either, and holds up nobody: it is tried again after a while.
  void close_due() {
    if (!rules_ || closed())
      return;
    std::erase_if(refused_closings_, [now = with_->now()](const auto& each) { return each.second <= now; });
    for (auto& each : rules_->due(with_->now())) {
      if (refused_closings_.contains(each.slash))
        continue;
      const auto record = *rules_->find(each.slash);
      rules_->apply(each);
      send(
        each, steady_clock::now() + closing_deadline, nullptr,
        {[this, each, record](const write_outcome&) {
           stakes_moved(record);
           ops::log(ops::level::info, "slash_closed",
                    {{"slash", each.slash.value}, {"outcome", verdict_names[static_cast<std::size_t>(each.end.how)]}});
         },
         [this, id = each.slash](failure) {
           if (!std::exchange(refused_, false))
             return;
           ops::log(ops::level::error, "slash_not_closed", {{"slash", id.value}, {"error", "the database refuses it"}});
           refused_closings_.emplace(id, with_->now() + closing_retry_after);
         }});
    }
  }

  void send(port<storage>::change port, steady_time deadline, std::shared_ptr<const write_context> note,
            pending_writes::step then) {
    ++sent_;
    writes_.send(storage_, *this, std::move(port), deadline, std::move(note), std::move(then));
  }

  /// Reads what is committed, after what was taken in before.
  template <class Q, class Load, class Then>
  void read_committed(const ask<Q>& question, Load load, Then then) {
    read(question, [&] {
      close_due();
      const auto go_on = [this, question, query = std::move(load), then] {
        storage_.read(*this, with_->load_timeout, query).on_behalf_of(question).then(then, [question](failure why) {
          question.fail(failure_of(why));
        });
      };
      wait(reads_, {in_doubt_ ? 0 : sent_, go_on, go_on});
    });
  }

  void wait(std::deque<waiting>& among, waiting one) {
    if (one.behind <= stored_)
      return one.go_on();
    among.push_back(std::move(one));
  }

  static void let_go(std::deque<waiting>& from, std::uint64_t stored) {
    while (!from.empty() && from.front().behind <= stored) {
      const auto next = std::move(from.front());
      from.pop_front();
      next.go_on();
    }
  }

  /// Memory may differ from the database: it is read again, once everything that was sent has
  /// had its outcome.
  void start_afresh() {
    rules_.reset();
    ++generation_;
    for (const auto& question : std::exchange(votes_ahead_, {}))
      question.fail(failure::unavailable);
    std::exchange(writes_, pending_writes{}).lose_all(failure::unavailable);
    stored_ = sent_;
    for (auto* among : {&answers_, &reads_})
      for (const auto& each : std::exchange(*among, {}))
        each.when_lost();
    load_when_settled();
  }

  std::optional<slash_state> rules_;               // none: not read yet
  std::uint64_t generation_ = 0;                   // of the rules
  std::deque<ask<cast_slash_vote>> votes_ahead_;   // of the ballots of their voters; as many as are let in
  std::uint64_t sent_ = 0;                         // changes
  std::uint64_t stored_ = 0;                       // of these
  bool refused_ = false;                           // by the database: the first one that is told
  std::map<slash_id, timestamp> refused_closings_; // not tried again before
  bool in_doubt_ = false;                          // whether the oldest of those that are not
  std::deque<waiting> answers_;                    // that change nothing
  std::deque<waiting> reads_;
};

} // namespace

slash_handle spawn_slashes(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<slash_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::slash
