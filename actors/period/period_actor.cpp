#include "actors/period/period_actor.hpp"

#include "actors/kernel/single_actor.hpp"
#include "actors/period/period_state.hpp"
#include "ops/log.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace credence::period {

namespace {

using namespace std::chrono_literals;

constexpr auto write_timeout = 10s;

/// One advance at a time: those who ask meanwhile queue, and each gets its own.
class period_actor : public single_actor<period_actor, ops::actor_kind::period, period_handle, context, storage,
                                         write_outcome, tick, reload> {
public:
  static inline const char* name = "period";
  using single_actor::on;

  void prepare(published_calendar* out) { out_ = out; }

  void start_up() { load(); }

  void on(const ask<advance_period>& question) {
    read(question, [&] {
      if (!loaded_)
        return question.fail(failure::unavailable);
      if (question->dry_run)
        return preview(question, [](const period_advanced& would) { return allocation_of(would.opened); });
      if (!writable())
        return question.fail(failure::unavailable);
      waiting_.push_back(
        {question.get()->deadline(), question.get()->context(),
         [question](const voting_period&, const voting_period& opened) { question.answer(allocation_of(opened)); },
         [question](failure why) { question.fail(why); }, nullptr, std::nullopt});
      next();
    });
  }

  void on(const ask<advance_from>& question) {
    read(question, [&] {
      if (!loaded_)
        return question.fail(failure::unavailable);
      if (question->dry_run && question->open != calendar_.current().id)
        return question.answer(another_is_open(question->open));
      if (question->dry_run)
        return preview(question, [this](const period_advanced& would) {
          return advanced{calendar_.current(), allocation_of(would.opened)};
        });
      if (!writable())
        return question.fail(failure::unavailable);
      waiting_.push_back({question.get()->deadline(), question.get()->context(),
                          [question](const voting_period& closed, const voting_period& opened) {
                            question.answer(advanced{closed, allocation_of(opened)});
                          },
                          [question](failure why) { question.fail(why); },
                          [question, this] { question.answer(another_is_open(question->open)); }, question->open});
      next();
    });
  }

  void each_second() {
    if (!loaded_ || under_way_ || !waiting_.empty() || with_->limits.period_advance != "monthly" || !writable())
      return;
    const auto due = ending_of(calendar_.current(), with_->now());
    if (due == ending::now) {
      ops::log(ops::level::info, "voting_period_ended", {{"period", calendar_.current().id.value}});
      propose();
    } else if (due == ending::too_late && !std::exchange(late_logged_, true)) {
      ops::log(ops::level::error, "voting_period_overdue",
               {{"period", calendar_.current().id.value},
                {"ended_at", iso_text(calendar_.current().ends_at)},
                {"now", iso_text(with_->now())}});
    }
  }

  void on(const write_outcome& outcome) {
    if (!(outcome.stream == stream_) || !under_way_)
      return;
    switch (outcome.result) {
      case write_result::in_doubt: return; // its fate follows
      case write_result::stored: return on_stored();
      case write_result::not_written:
      case write_result::too_long:
      case write_result::failed:
      case write_result::stale: return start_afresh();
    }
  }

  void load() {
    storage_.read(*this, with_->load_timeout, load_periods{})
      .then(
        [this](stored_periods& stored) {
          if (under_way_)
            return; // an advance has begun meanwhile; its outcome tells more
          if (stored.periods.size() < calendar_.periods.size())
            return next(); // read before an advance that is stored since
          calendar_.periods = std::move(stored.periods);
          if (calendar_.periods.empty()) // a new database: open the first period, by a clock that is right
            return writable() ? propose() : reload_soon();
          loaded_ = true;
          out_->publish(calendar_);
          next();
        },
        [this](failure) { reload_soon(); });
  }

private:
  bool writable() const { return storage_.status->writable.load(std::memory_order_relaxed); }

  /// Somebody who asked for an advance.
  struct waiting {
    steady_time deadline;
    std::shared_ptr<const write_context> context;
    std::function<void(const voting_period& closed, const voting_period& opened)> answer;
    std::function<void(failure)> fail;
    std::function<void()> refuse;  // where `from` is not open any more
    std::optional<period_id> from; // that is to be closed; none: whichever is open
  };

  refusal another_is_open(period_id wanted) const {
    const auto& open = calendar_.current();
    return {refusal_code::sequence_mismatch, "the open period is " + std::to_string(open.year) + "/"
                                               + std::to_string(open.number) + " (id " + std::to_string(open.id.value)
                                               + "), not the one with id " + std::to_string(wanted.value)};
  }

  template <class Q, class AnswerOf>
  void preview(const ask<Q>& question, AnswerOf answer_of) {
    load_for(question, load_electorate{}, [this, question, answer_of](const electorate& who) {
      question.answer(answer_of(next_period(calendar_, who, with_->now())));
    });
  }

  void next() {
    while (!waiting_.empty() && !under_way_) {
      const auto& first = waiting_.front();
      const bool late = first.deadline <= steady_clock::now();
      if (!late && (!first.from || *first.from == calendar_.current().id))
        return propose();
      if (late)
        first.fail(failure::timed_out);
      else
        first.refuse();
      waiting_.pop_front();
    }
  }

  void propose() {
    under_way_ = true;
    storage_.read(*this, with_->load_timeout, load_electorate{})
      .then(
        [this](const electorate& who) {
          change_ = next_period(calendar_, who, with_->now());
          asked_for_ = !waiting_.empty(); // who comes later gets an advance of its own
          storage_.write(stream_, change_, *this, steady_clock::now() + write_timeout,
                         asked_for_ ? waiting_.front().context : nullptr);
        },
        [this](failure) { start_afresh(); });
  }

  void on_stored() {
    under_way_ = false;
    loaded_ = true;
    apply(calendar_, change_);
    out_->publish(calendar_);
    ops::the_metrics().votes.advances.add();
    ops::log(ops::level::info, "voting_period_opened",
             {{"year", change_.opened.year}, {"period", change_.opened.number}});
    if (asked_for_) {
      waiting_.front().answer(calendar_.periods[calendar_.periods.size() - 2], change_.opened);
      waiting_.pop_front();
    }
    next();
  }

  /// What memory knows may differ from the database: read it again.
  void start_afresh() {
    under_way_ = false;
    ++stream_.attempt;
    for (const auto& question : std::exchange(waiting_, {}))
      question.fail(failure::unavailable);
    reload_soon();
  }

  published_calendar* out_ = nullptr;
  calendar calendar_;
  bool loaded_ = false;
  bool under_way_ = false;
  bool late_logged_ = false;
  bool asked_for_ = false; // the advance under way is that of the first one waiting
  period_advanced change_;
  write_stream stream_{next_incarnation(), 0};
  std::deque<waiting> waiting_;
};

} // namespace

period_handle spawn_period(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                           published_calendar& calendar) {
  return spawn_single<period_actor>(sys, std::move(with), std::move(storage), &calendar);
}

} // namespace credence::period
