#include "actors/idempotency/idempotency_actor.hpp"

#include "actors/domain/hash.hpp"
#include "actors/idempotency/day_counts.hpp"
#include "actors/kernel/single_actor.hpp"

#include <functional>
#include <optional>
#include <unordered_map>

namespace credence::idempotency {

namespace {

refusal in_progress() {
  return {refusal_code::request_in_progress, "a request with this Idempotency-Key is under way; try again shortly"};
}
refusal another_body() {
  return {refusal_code::key_reused,
          "this Idempotency-Key came with another body before; use a new key for a new request"};
}
refusal too_many_keys(std::int64_t most) {
  return {refusal_code::too_many_keys,
          std::to_string(most)
            + " requests with an Idempotency-Key were answered today; go on without one, or tomorrow"};
}

/// Counts of acts that are written together.
constexpr std::size_t counts_together = 1000;
constexpr std::chrono::seconds counts_deadline{2};

/// A claimed key.
struct claimed {
  digest32 fingerprint;
  std::string caller;
  std::optional<profile_id> profile;
  std::optional<ask<claim_key>> asked; // while it is looked up
};

class idempotency_actor : public writing<single_actor<idempotency_actor, ops::actor_kind::idempotency,
                                                      idempotency_handle, context, storage, write_outcome, tick>> {
public:
  static inline const char* name = "idempotency";
  using single_actor::on;

  void on(const ask<claim_key>& question) {
    read(question, [&] { claim(question); });
  }

  void on(const ask<record_answer>& question) {
    change_with(question, [&] {
      if (const auto running = running_.find(question->answer.id); running != running_.end()) {
        ++of_today(question->answer.at)[running->second.caller];
        if (running->second.profile) // it was let in: this one counts whatever is left
          static_cast<void>(days_.take(*running->second.profile, daily_act::kept_answer_bytes,
                                       static_cast<std::int64_t>(question->answer.body.size()), with_->now()));
      }
      // The request's context went with its effect.
      writes_.send(storage_, *this, question->answer, question.get()->deadline(), nullptr,
                   {[question](const write_outcome&) { question.answer(recorded{}); },
                    [question](failure why) { question.fail(why); }});
    });
  }

  void on(const key_released& change) { running_.erase(change.id); }

  void on(const ask<take_daily>& question) {
    change_with(question, [&] {
      once_learned(question, question->profile, question->act, [this, question] {
        if (auto why = days_.take(question->profile, question->act, 1, with_->now()))
          return question.answer(*std::move(why));
        question.answer(daily_taken{});
      });
    });
  }
  void on(const daily_given_back& change) { days_.give_back(change.profile, change.act, with_->now()); }

  void each_second() {
    if (closed())
      return;
    auto counts = days_.take_unwritten(counts_together);
    if (!counts.empty())
      writes_.send(storage_, *this, days_counted{counts}, steady_clock::now() + counts_deadline, nullptr,
                   {[](const write_outcome&) {}, [this, counts](failure) { days_.not_written(counts); }});
  }

  void on(const write_outcome& outcome) {
    if (writes_.on_outcome(outcome) == pending_writes::verdict::goes_on)
      return;
    writes_.lose_all(failure::unavailable);
    writes_ = pending_writes{}; // no state of this actor depends on the lost changes
  }

private:
  void claim(const ask<claim_key>& question) {
    if (const auto running = running_.find(question->id); running != running_.end())
      return claim_again(running->second, question);
    running_.emplace(question->id, claimed{question->fingerprint, question->caller, question->profile, question});
    storage_.read(*this, load_record{question->id, question->at - kept_for})
      .then([this, id = question->id](stored_record& found) { on_found(take_asked(id), found); },
            [this, id = question->id](failure) {
              const auto asked = take_asked(id);
              running_.erase(id);
              asked.fail(failure::unavailable);
            });
  }

  /// One request at a time. Who has been told that it took too long may try again before the look-up has ended.
  void claim_again(claimed& running, const ask<claim_key>& question) {
    if (!same_in_constant_time(running.fingerprint, question->fingerprint))
      return question.answer(another_body());
    if (!running.asked || !running.asked->get()->expired(steady_clock::now()))
      return question.answer(in_progress());
    running.asked->fail(failure::timed_out);
    running.asked = question;
  }

  ask<claim_key> take_asked(const digest32& id) { return *std::exchange(running_.at(id).asked, std::nullopt); }

  void on_found(const ask<claim_key>& question, stored_record& found) {
    const bool known = found.exists && found.at > question->at - kept_for;
    if (!known && kept_today(question->caller, question->at) >= with_->limits.idempotency_keys_per_day) {
      running_.erase(question->id);
      return question.answer(too_many_keys(with_->limits.idempotency_keys_per_day));
    }
    if (!known)
      return let_in(question);
    if (!same_in_constant_time(found.fingerprint, question->fingerprint)) {
      running_.erase(question->id);
      return question.answer(another_body());
    }
    if (found.record.status == 0)
      return question.answer(key_meaning{note_for(question, found.at), std::move(found.record)});
    running_.erase(question->id);
    question.answer(key_meaning{nullptr, std::move(found.record)});
  }

  /// Lets a request go on whose key is new, while there is room for its answer.
  void let_in(const ask<claim_key>& question) {
    if (!question->profile)
      return question.answer(key_meaning{note_for(question, question->at), std::nullopt});
    const auto let_go = [this, id = question->id] { running_.erase(id); };
    once_learned(
      question, *question->profile, daily_act::kept_answer_bytes,
      [this, question, let_go] {
        auto why = days_.take(*question->profile, daily_act::kept_answer_bytes, 0, with_->now());
        if (!why)
          return question.answer(key_meaning{note_for(question, question->at), std::nullopt});
        let_go();
        why->code = refusal_code::too_many_keys;
        question.answer(*std::move(why));
      },
      let_go);
  }

  /// Goes on when what is stored of the profile's day is known, as far as that matters.
  void once_learned(
    const question_ref& question, profile_id whose, daily_act act, std::function<void()> then,
    std::function<void()> otherwise = [] {}) {
    if (!days_.has_to_learn(whose, act, act == daily_act::kept_answer_bytes ? 0 : 1, with_->now()))
      return then();
    load_for(
      of_nobody, load_day{whose},
      [this, whose, then = std::move(then)](const stored_day& found) {
        days_.learn(whose, found.counts, with_->now());
        then();
      },
      [question, otherwise = std::move(otherwise)](failure why) {
        otherwise();
        question.fail(failure_of(why));
      });
  }

  /// The last one to hold the context tells, from whatever thread.
  std::shared_ptr<const write_context> note_for(const ask<claim_key>& question, timestamp at) {
    return std::make_shared<const write_context>(
      question->id, question->fingerprint, at, [me = this->me(), id = question->id] { send(me, key_released{id}); },
      question->from);
  }

  using counts = std::unordered_map<std::string, std::int64_t, keyed_hash>;

  /// Answers kept of the day of `at`, by caller; counted from the start of the process on.
  counts& of_today(timestamp at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    if (day > counted_day_) {
      counted_day_ = day;
      kept_.clear();
    }
    return kept_;
  }
  std::int64_t kept_today(const std::string& caller, timestamp at) {
    const auto& kept = of_today(at);
    const auto found = kept.find(caller);
    return found == kept.end() ? 0 : found->second;
  }

  std::unordered_map<digest32, claimed, keyed_hash> running_;
  counts kept_;
  day_counts days_;
  std::chrono::sys_days counted_day_{};
};

} // namespace

idempotency_handle spawn_idempotency(caf::actor_system& sys, std::shared_ptr<const context> with,
                                     port<storage> storage) {
  return spawn_single<idempotency_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::idempotency
