#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/asker.hpp"
#include "actors/kernel/message.hpp"
#include "actors/kernel/write_context.hpp"
#include "ops/metrics.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace credence {

/// Why the machinery gave no answer. Only `overloaded` and `too_many` of the front say that nothing was begun; after
/// any other one a write is *unknown* until it is looked up.
enum class failure : std::uint8_t {
  unavailable, // the database is away: 503 + Retry-After
  timed_out,   // the deadline passed first: 503 + Retry-After
  overloaded,  // a bound of ours was reached before any work began: 503 + Retry-After
  too_many,    // a bound on this caller was reached before any work began: 429 + Retry-After
  stranded,    // the question was dropped by an actor that stopped: 503 + Retry-After
  not_owner,   // it is not known any more that this process owns its data: 503 + Retry-After
  clock_wrong, // nothing may be stamped by this machine's clock: 503 + Retry-After
  refused, // the database refused this change alone, or it took too long to be written; nothing of it is stored: 409
};

/// For the log.
constexpr std::string_view text_of(failure why) noexcept {
  constexpr std::array<std::string_view, 8> texts{"unavailable", "timed out", "overloaded",  "too many",
                                                  "stranded",    "not owner", "clock wrong", "refused"};
  return texts[static_cast<std::size_t>(why)];
}

/// Counts the questions that wait somewhere, against a bound. Shared by the one
/// who admits and by every question admitted.
class gate {
public:
  /// `all`, if any, follows the sum over all gates of a kind.
  explicit gate(std::int32_t most, ops::gauge* all = nullptr) : most_(most), all_(all) {}
  /// True when there was a place; the caller then owes one `leave`.
  bool enter() noexcept {
    if (inside_.fetch_add(1, std::memory_order_relaxed) >= most_) {
      inside_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    if (all_)
      all_->add(1);
    return true;
  }
  void leave() noexcept {
    inside_.fetch_sub(1, std::memory_order_relaxed);
    if (all_)
      all_->add(-1);
  }
  std::int32_t inside() const noexcept { return inside_.load(std::memory_order_relaxed); }
  std::int32_t most() const noexcept { return most_; }

private:
  std::atomic<std::int32_t> inside_{0};
  std::int32_t most_;
  ops::gauge* all_;
};

/// One place behind a gate; given back when this object goes.
class place {
public:
  place() = default;
  /// Takes a place, or comes out empty when the gate is full.
  explicit place(std::shared_ptr<gate> at) {
    if (at && at->enter())
      gate_ = std::move(at);
  }
  place(place&& other) noexcept = default;
  place& operator=(place&& other) noexcept {
    if (this != &other) {
      give_back();
      gate_ = std::move(other.gate_);
    }
    return *this;
  }
  ~place() { give_back(); }
  explicit operator bool() const noexcept { return gate_ != nullptr; }
  void give_back() noexcept {
    if (auto at = std::move(gate_))
      at->leave();
  }

private:
  std::shared_ptr<gate> gate_;
};

class envelope_base;

/// Where answers go. `deliver` is called once for every envelope, from any
/// thread, and takes over one reference to it.
class answer_sink {
public:
  virtual void deliver(envelope_base* answered) noexcept = 0;

protected:
  ~answer_sink() = default;
};

/// A question on its way, with the address for its answer. It is answered
/// exactly once: by an actor, or, when the last actor drops it, by itself with
/// `failure::stranded`. Nobody ever waits for an actor that is gone.
class envelope_base : public message_base {
public:
  envelope_base(message_kind kind, answer_sink& sink, steady_time deadline)
    : message_base(kind), sink_(&sink), deadline_(deadline) {}

  steady_time deadline() const noexcept { return deadline_; }
  bool expired(steady_time now) const noexcept { return now >= deadline_; }
  /// When it was last put into a mailbox; measures the age of waiting work.
  steady_time sent_at() const noexcept { return sent_at_; }
  void stamp(steady_time now) noexcept { sent_at_ = now; }
  /// Holds a place of the entity it is for, from admission to answer.
  void hold(place at_entity) { at_entity_ = std::move(at_entity); }
  /// Holds a place among all questions under way, likewise: a question that its asker
  /// has given up still counts while it waits in a mailbox.
  void hold_among_all(place among_all) { among_all_ = std::move(among_all); }

  /// Goes into the transaction of what this question changes; null mostly, and once it is
  /// answered.
  const std::shared_ptr<const write_context>& context() const noexcept { return context_; }
  void carry(std::shared_ptr<const write_context> context) noexcept { context_ = std::move(context); }

  /// On whose behalf it is asked: decides whose share of the readers it takes.
  const asker& by() const noexcept { return by_; }
  void speak_for(const asker& whom) noexcept { by_ = whom; }
  /// What the database has done for it so far. An answer that is shared counts for the one who had it read.
  std::chrono::nanoseconds database_time() const noexcept {
    return std::chrono::nanoseconds{database_ns_.load(std::memory_order_relaxed)};
  }
  void add_database_time(std::chrono::nanoseconds took) noexcept {
    database_ns_.fetch_add(took.count(), std::memory_order_relaxed);
  }

  /// What the asker does about the answer, in an envelope of the asker's own kind. The sink calls it
  /// once the envelope has been delivered, on whatever thread the sink hands answers on.
  virtual void arrive() {}

  /// Whether it has its answer, which may be on its way to the asker.
  bool answered() const noexcept { return claimed_.load(std::memory_order_acquire); }
  /// Answers no, or that there is no answer. Only the first answer counts.
  void settle(refusal why);
  void settle(failure why);

  /// For the asker, once it is delivered: why the answer is no; null where it is another one.
  const refusal* refused() const noexcept { return std::get_if<refusal>(&no_answer_); }
  /// Why there is no answer; null where there is one.
  const failure* failed() const noexcept { return std::get_if<failure>(&no_answer_); }

  /// Link for the sink's queue.
  envelope_base* next = nullptr;

protected:
  /// The last one to let go of it unanswered strands the question.
  void unheld() noexcept override;
  /// True for the one who may answer.
  bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acq_rel); }
  /// Hands the answered envelope to the sink, together with one reference.
  void send_off() noexcept;

private:
  std::variant<std::monostate, refusal, failure> no_answer_;
  answer_sink* sink_;
  std::atomic<bool> claimed_{false};
  steady_time deadline_;
  steady_time sent_at_{};
  place at_entity_;
  place among_all_;
  std::shared_ptr<const write_context> context_;
  asker by_;
  std::atomic<std::int64_t> database_ns_{0};
};

/// Envelope of one kind of question. `Q::answer_type` is what a yes looks like. An asker that has to
/// tell one answer from another derives an envelope of its own, and puts into it what the asker needs then.
template <class Q>
class envelope : public envelope_base {
public:
  using answer_type = typename Q::answer_type;

  envelope(Q query, answer_sink& sink, steady_time deadline)
    : envelope_base(&kind_of_message<Q>, sink, deadline), question(std::move(query)) {}

  using envelope_base::settle;
  void settle(outcome<answer_type> answer) {
    if (!answer)
      return settle(refusal{answer.why()});
    if (!claim())
      return;
    answer_.emplace(*std::move(answer));
    ref();
    send_off();
  }

  /// The answer, once it is delivered; null where it is no, or there is none.
  answer_type* answer() noexcept { return answer_ ? &*answer_ : nullptr; }
  const answer_type* answer() const noexcept { return answer_ ? &*answer_ : nullptr; }
  /// The asker needs the answer no more.
  void forget_answer() noexcept { answer_.reset(); }

  Q question;

private:
  std::optional<answer_type> answer_;
};

/// Whether a question is passed on, set aside or answered within microseconds, as it says with
/// `static constexpr bool brief = true`: the thread that asks it may do that by itself.
template <class Q>
inline constexpr bool is_brief = requires {
  requires Q::brief;
};

/// A counted pointer to the envelope of some question. Copies are cheap and share the one answer.
class question_ref : public counted<envelope_base> {
public:
  using counted::counted;

  /// Answers no. Only the first answer counts.
  void refuse(refusal why) const { get()->settle(std::move(why)); }
  /// Answers that there is no answer.
  void fail(failure why) const { get()->settle(why); }
};

/// The same of a question of that kind.
template <class Q>
class ask : public question_ref {
public:
  using answer_type = typename Q::answer_type;

  ask() = default;
  /// Adopts a fresh envelope.
  explicit ask(envelope<Q>* fresh) noexcept : question_ref(fresh) {}
  ask(Q question, answer_sink& sink, steady_time deadline)
    : question_ref(new envelope<Q>(std::move(question), sink, deadline)) {}

  const Q& operator*() const noexcept { return get()->question; }
  const Q* operator->() const noexcept { return &get()->question; }
  Q& question() const noexcept { return get()->question; }
  envelope<Q>* get() const noexcept { return static_cast<envelope<Q>*>(question_ref::get()); }

  /// Answers yes, or no with a refusal. Only the first answer counts.
  void answer(outcome<answer_type> outcome) const { get()->settle(std::move(outcome)); }
};

/// Questions in a line whose time is up are told so, and leave it.
template <class Q>
void fail_expired(std::deque<ask<Q>>& line, steady_time now) {
  std::erase_if(line, [now](const ask<Q>& question) {
    const bool late = question.get()->expired(now);
    if (late)
      question.fail(failure::timed_out);
    return late;
  });
}

} // namespace credence
