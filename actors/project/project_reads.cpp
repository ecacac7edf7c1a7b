#include "actors/project/project_reads.hpp"

#include "actors/listing/project_index.hpp"
#include "actors/period/period_state.hpp"

#include <algorithm>

namespace credence::project {

namespace {

using namespace std::chrono_literals;

/// Votes that a read looks at before others have their turn: some hundred microseconds. The first piece waits for no
/// turn, and is enough for most reads.
constexpr std::size_t votes_at_once = 8192;
constexpr std::size_t votes_at_first = 512;

} // namespace

bool project_reads::kept_summary::fits(const get_summary& other, entity_seq n, timestamp now) const {
  return n == through && std::chrono::floor<std::chrono::days>(now) == day && query.in == other.in
         && query.top_voters == other.top_voters && query.sparkline_days == other.sparkline_days
         && query.delta_days == other.delta_days && query.of_period_only == other.of_period_only && now >= made
         && now - made < figures::ranked_anew_after;
}

void project_reads::start(project_id id, const context& with, std::optional<project_state>& rules,
                          std::function<void()> go_on) {
  with_ = &with;
  rules_ = &rules;
  go_on_ = std::move(go_on);
  figures_.start(id, with.projects->figures());
}

void project_reads::renew_figures() {
  if (!reads_at_length())
    figures_.renew(**rules_, with_->now());
  else
    figures_.withdraw(); // they look at the rankings that would be renewed
}

/// The kept summary, if it is what a page of the board shows and every committed vote is in it.
void project_reads::publish_figures() {
  const auto& shown = summary_->query;
  if (summary_->through == (*rules_)->through() && shown.in == with_->calendar->get()->current().id
      && shown.top_voters == page_voters && shown.sparkline_days == 0 && shown.delta_days.empty()
      && !shown.of_period_only)
    figures_.publish(shown.in, summary_->answer, summary_->made);
}

template <class Q, class F>
void project_reads::with_period(const ask<Q>& question, F&& answer) {
  const auto& periods = *with_->calendar->get();
  if (question->in.kind == scope_kind::period && !periods.find(question->in.named))
    return question.answer(refusal{refusal_code::period_not_found, period::no_such(question->in.named)});
  answer(periods);
}

/// Answers after a read that may look at many votes: others have their turn in between, and such reads come one after
/// the other. It costs its asker as much as if the database had looked.
template <class Q, class Answer, class Then>
void project_reads::at_length(const ask<Q>& question, long_read_ptr<Answer> read, Then then) {
  auto fresh = [question, read = std::move(read), then = std::move(then), begun = false](std::size_t votes) mutable {
    const auto now = steady_clock::now();
    if (!std::exchange(begun, true) && question.get()->expired(now))
      return question.fail(failure::timed_out), true;
    const bool done = read->work(votes);
    question.get()->add_database_time(steady_clock::now() - now);
    if (done)
      then();
    return done;
  };
  const bool first = !reads_at_length();
  if (!long_reads_.add(question.get()->by(), std::move(fresh)))
    return question.fail(failure::too_many);
  if (first)
    read_on(votes_at_first);
}

void project_reads::read_on() { read_on(votes_at_once); }

void project_reads::read_on(std::size_t votes) {
  if (!long_read_ && !long_reads_.empty())
    long_read_ = long_reads_.take();
  if (long_read_ && long_read_(votes))
    long_read_ = nullptr;
  if (reads_at_length())
    return go_on_();
  if (!older_)
    return;
  (*rules_)->take_history(*std::exchange(older_, std::nullopt));
  for (const auto& each : std::exchange(waiting_, {}))
    each.again();
}

void project_reads::answer(const ask<get_voters>& question) {
  with_period(question, [&](const period::calendar& periods) {
    at_length(question, (*rules_)->voters(*question, periods, with_->now()));
  });
}

void project_reads::answer(const ask<get_bulk_totals>& question) {
  with_period(question, [&](const period::calendar& periods) {
    question.answer((*rules_)->bulk_totals(*question, periods, with_->now()));
  });
}

void project_reads::answer(const ask<get_chart>& question) {
  with_period(question, [&](const period::calendar& periods) {
    auto chart = (*rules_)->chart(*question, periods, with_->now());
    if (!chart)
      return question.answer(chart.why());
    at_length(question, *std::move(chart));
  });
}

void project_reads::answer(const ask<get_summary>& question) {
  const auto& rules = **rules_;
  const auto& periods = *with_->calendar->get();
  auto query = *question;
  if (!query.in)
    query.in = periods.current().id;
  const auto now = with_->now();
  const auto today = std::chrono::floor<std::chrono::days>(now);
  if (summary_ && summary_->fits(query, rules.through(), now)) {
    publish_figures();
    return question.answer(summary_->answer);
  }
  auto fresh = rules.summary(query, periods, now);
  at_length(question, fresh, [this, question, query, now, today, fresh, through = rules.through()] {
    summary_ = kept_summary{query, through, today, now, std::move(fresh->answer)};
    publish_figures();
    question.answer(summary_->answer);
  });
}

void project_reads::answer_next() {
  const auto next = std::move(after_votes_.front());
  after_votes_.pop_front();
  next.answer();
}

void project_reads::answer_committed() {
  while (!after_votes_.empty() && after_votes_.front().after <= (*rules_)->through())
    answer_next();
}

void project_reads::answer_all() {
  while (!after_votes_.empty())
    answer_next();
}

void project_reads::expect_no_more_than_pending() {
  const auto last = last_pending();
  for (auto& read : after_votes_)
    read.after = std::min(read.after, last);
}

bool project_reads::can_answer(const get_summary& query) const {
  const auto& rules = **rules_;
  if (older_ || rules.whole())
    return !older_;
  return query.of_period_only && rules.holds(query.in ? query.in : with_->calendar->get()->current().id);
}

void project_reads::take_history(stored_history older) {
  older_ = std::move(older);
  if (!reads_at_length())
    read_on();
}

void project_reads::fail_waiting() {
  for (const auto& each : std::exchange(waiting_, {}))
    each.fail(failure::unavailable);
}

} // namespace credence::project
