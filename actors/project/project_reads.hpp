#pragma once

#include "actors/context.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/turns.hpp"
#include "actors/period/period_state.hpp"
#include "actors/project/figures.hpp"
#include "actors/project/project_state.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace credence::project {

/// The reads of one project: those that wait for the votes taken in before them, those that wait for its older votes,
/// and those that look at many votes, which are done one after the other and piece by piece, askers in turn. A plain
/// object in the actor's state.
class project_reads {
public:
  /// `go_on` is to call `read_on` once others have had their turn.
  void start(project_id id, const context& with, std::optional<project_state>& rules, std::function<void()> go_on);

  /// Votes were committed: what pages of the board show follows, before anybody hears of these.
  void renew_figures();
  /// Memory may differ from the database: pages show nothing from it.
  void withdraw_figures() { figures_.close(); }

  /// Answers from what is committed. All votes that the question is about must be here: see `can_answer`.
  void answer(const ask<get_voters>& question);
  void answer(const ask<get_bulk_totals>& question);
  void answer(const ask<get_chart>& question);
  void answer(const ask<get_summary>& question);
  /// Goes on with the long read whose turn it is.
  void read_on();

  /// Keeps a question until the votes that are pending now are committed.
  template <class Q>
  void answer_after_pending(const ask<Q>& question) {
    after_votes_.push_back({last_pending(), [this, question] { answer(question); }});
  }
  /// Answers, in their order, the questions kept whose votes are committed.
  void answer_committed();
  /// Answers all questions kept, from what is committed.
  void answer_all();
  /// After votes were taken back, their numbers may never come: no question waits for more than is pending now.
  void expect_no_more_than_pending();

  /// Whether no older vote has to be read for it. While older ones wait to be taken in no read begins,
  /// or those under way might never end.
  bool can_answer(const get_summary& query) const;
  template <class Q>
  bool can_answer(const Q& question) const {
    return !older_ && (*rules_)->holds(question.in, *with_->calendar->get());
  }
  /// Keeps a question until the older votes are here: `again` asks it anew, `fail` answers that there is no answer.
  void wait(steady_time deadline, std::function<void()> again, std::function<void(failure)> fail) {
    waiting_.push_back({deadline, std::move(again), std::move(fail)});
  }
  /// Whether somebody waits for them.
  bool somebody_waits() const noexcept { return !waiting_.empty(); }
  /// Those whose time is up hear it, and give their places back: votes and other pages have the same ones.
  void fail_overdue(steady_time now) {
    std::erase_if(waiting_, [now](const waiting_read& each) {
      const bool late = each.deadline <= now;
      if (late)
        each.fail(failure::timed_out);
      return late;
    });
  }
  /// The older votes are to be asked for: somebody waits, and they are not here already.
  bool needs_history() const noexcept { return !waiting_.empty() && !older_ && !(*rules_)->whole(); }
  /// They are here. They are taken in once no long read is under way, and those who wait go on in their order.
  void take_history(stored_history older);
  /// Whoever waits for older votes is told that there are none to be had now.
  void fail_waiting();

  /// Whether nobody waits for older votes or for a long read. Who waits for pending votes is answered when these are
  /// decided.
  bool at_rest() const noexcept { return !reads_at_length() && waiting_.empty(); }

private:
  struct read_after_vote {
    entity_seq after;
    std::function<void()> answer;
  };
  struct waiting_read {
    steady_time deadline;
    std::function<void()> again;
    std::function<void(failure)> fail;
  };
  struct kept_summary {
    get_summary query;
    entity_seq through;
    std::chrono::sys_days day;
    timestamp made;
    project_summary answer;
    bool fits(const get_summary& other, entity_seq n, timestamp now) const;
  };

  /// The number of the last vote taken in, committed or not.
  entity_seq last_pending() const { return (*rules_)->through() + static_cast<entity_seq>((*rules_)->pending()); }
  bool reads_at_length() const noexcept { return long_read_ || !long_reads_.empty(); }
  void read_on(std::size_t votes);
  void answer_next();
  void publish_figures();

  template <class Q, class F>
  void with_period(const ask<Q>& question, F&& answer);
  template <class Q, class Answer, class Then>
  void at_length(const ask<Q>& question, long_read_ptr<Answer> read, Then then);
  template <class Q, class Answer>
  void at_length(const ask<Q>& question, long_read_ptr<Answer> read) {
    at_length(question, read, [question, read] { question.answer(std::move(read->answer)); });
  }

  const context* with_ = nullptr;
  std::optional<project_state>* rules_ = nullptr;
  std::function<void()> go_on_;
  std::function<bool(std::size_t)> long_read_;         // that has begun, if any; true when it is done
  turns<std::function<bool(std::size_t)>> long_reads_; // that wait for it
  std::deque<read_after_vote> after_votes_;            // for votes that are pending
  std::deque<waiting_read> waiting_;                   // for older votes
  std::optional<stored_history> older_;                // to be taken in after the long reads
  std::optional<kept_summary> summary_;
  figure_publisher figures_;
};

} // namespace credence::project
