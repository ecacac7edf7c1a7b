#include "actors/directory.hpp"
#include "actors/kernel/handling.hpp"
#include "actors/project/project_entity.hpp"
#include "actors/project/project_reads.hpp"
#include "ops/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

namespace credence::project {

namespace {

using namespace std::chrono_literals;

constexpr auto kind = ops::actor_kind::project;
constexpr int reports_per_save = 25; // the board hears of all of them
constexpr auto overdue_every = 500ms; // a look at reads that wait for older votes
constexpr auto decide_again_after = 5ms; // until the new calendar is out
constexpr auto save_deadline = 10s;
/// When the database refuses more votes than these in a row, it is not the votes that are wrong
/// but what is in memory.
constexpr int refused_in_a_row_max = 2;

/// A read that waits for the votes taken in before it.
struct waiting_read {
  entity_seq after;
  std::function<void()> answer;
};

class project_plumbing {
public:
  static inline const char* name = "project";

  using pointer = project_entity::stateful_pointer<project_plumbing>;

  void start(pointer self, project_id id, std::shared_ptr<const context> with, project_supervisor router,
             bystanders voters) {
    self_ = self;
    id_ = id;
    with_ = std::move(with);
    router_ = std::move(router);
    voters_ = std::move(voters);
    stream_.incarnation = next_incarnation();
    tallies_.incarnation = next_incarnation();
    answers_.start(*with_, rules_, [self] { self->send(self, read_on_now{}); });
    // Nothing else is handled until the votes are in that deciding others needs. Millions of them take seconds, however
    // long the line is: clients are answered 503 by their own deadline, and find them loaded when they come again.
    self->request(with_->storage.reader, caf::infinite, load_project{id})
      .await(
        [this](stored_project& stored) {
          if (!stored.exists) {
            missing_ = true;
            return;
          }
          saved_through_ = stored.tallied_through;
          rules_.emplace(id_, std::move(stored), *with_->people);
          tell_board();
          if (saved_through_ < rules_->through())
            schedule_report();
        },
        [this](const caf::error& why) {
          ops::log(ops::level::warn, "project_not_loaded", {{"project", std::int64_t{id_.value}}, {"error", caf::to_string(why)}});
          give_up();
        });
  }

  // -- votes ------------------------------------------------------------------------

  void cast(const ask<cast_vote>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    if (!ready(asked))
      return;
    if (asked.get()->expired(here.started()))
      return asked.fail(failure::timed_out);
    if (leaving_ || !with_->storage.status->writable.load(std::memory_order_relaxed))
      return asked.fail(failure::unavailable);
    if (with_->storage.status->queued.load(std::memory_order_relaxed) >= with_->queue_max)
      return asked.fail(failure::overloaded);
    if (again_) { // keep the order: it is decided together with those before it
      undecided_.push_back(asked);
      return;
    }
    decide(asked);
  }

  void on_outcome(const write_outcome& what) {
    if (what.stream == tallies_)
      return on_saved(what.result);
    if (!(what.stream == stream_))
      return; // of an attempt given up
    switch (what.result) {
      case write_result::stored: return on_stored(what);
      case write_result::in_doubt:
        // The outcome may take long; committed votes stay readable meanwhile.
        in_doubt_ = true;
        return answer_reads();
      case write_result::stale: return take_back_and_decide_again();
      case write_result::not_written: return take_back_and_fail();
      case write_result::failed: return on_refused();
    }
  }

  void on_decide_again() {
    if (!again_ || looking_ || failed_)
      return;
    const auto now = steady_clock::now();
    std::erase_if(undecided_, [now](const ask<cast_vote>& asked) {
      const bool late = asked.get()->expired(now);
      if (late)
        asked.fail(failure::timed_out);
      return late;
    });
    if (with_->calendar->get()->current().id.value <= closed_period_.value && !undecided_.empty())
      return self_->delayed_send(self_, decide_again_after, decide_again{});
    again_ = false;
    for (const auto& asked : std::exchange(undecided_, {}))
      decide(asked);
    decide_contested();
    expect_no_more_than_pending();
    answer_reads();
    leave_when_done();
  }

  // -- reads ------------------------------------------------------------------------

  /// Answers once every vote taken in before the question is committed, and the older votes that it is
  /// about are in memory.
  template <class Q>
  void read(const ask<Q>& asked) {
    const handling here{kind, asked.get()->sent_at()};
    read_at(asked, here.started());
  }

  void on_read_on() {
    const handling here{kind, {}};
    answers_.read_on();
    leave_when_done();
  }

  void on_end_overdue_reads() {
    overdue_planned_ = false;
    answers_.fail_overdue(steady_clock::now());
    look_for_overdue_reads();
    leave_when_done();
  }

  // -- coming and going ---------------------------------------------------------------

  void on_passivate() {
    leaving_ = true;
    if (!failed_ && rules_) {
      tell_board(); // whoever is loaded after this does not tell of days that are saved
      save_tallies();
    }
    leave_when_done();
  }

  void on_report() {
    report_due_ = false;
    if (failed_ || !rules_)
      return;
    tell_board();
    if (++reports_ % reports_per_save == 0)
      save_tallies();
    if (saved_through_ < rules_->through())
      schedule_report();
  }

private:
  /// `now` is when its turn came.
  template <class Q>
  void read_at(const ask<Q>& asked, steady_time now) {
    if (!ready(asked))
      return;
    if (asked.get()->expired(now))
      return asked.fail(failure::timed_out);
    if (!answers_.can_answer(*asked)) {
      answers_.wait(asked.get()->deadline(), [this, asked] { read_at(asked, steady_clock::now()); }, [asked](failure why) { asked.fail(why); });
      look_for_overdue_reads();
      return load_older();
    }
    if (in_doubt_ || rules_->pending() == 0)
      return answers_.answer(asked);
    reads_.push_back({rules_->through() + static_cast<entity_seq>(rules_->pending()),
                      [this, asked] { answers_.answer(asked); }});
  }

  void look_for_overdue_reads() {
    if (answers_.somebody_waits() && !std::exchange(overdue_planned_, true))
      self_->delayed_send(self_, overdue_every, end_overdue_reads{});
  }

  /// Asks for the votes that were left out when this was loaded, unless that is under way. Votes are taken meanwhile.
  void load_older() {
    if (loading_older_ || !answers_.needs_history())
      return;
    loading_older_ = true;
    self_->request(with_->storage.reader, caf::infinite, load_history{id_, rules_->base()})
      .then(
        [this](stored_history& older) {
          loading_older_ = false;
          answers_.take_history(std::move(older));
          leave_when_done();
        },
        [this](const caf::error& why) {
          loading_older_ = false;
          ops::log(ops::level::warn, "project_history_not_loaded",
                   {{"project", std::int64_t{id_.value}}, {"error", caf::to_string(why)}});
          answers_.fail_waiting(); // the next one tries again
          leave_when_done();
        });
  }

  /// False when the question has been answered because there is nothing to ask.
  template <class Q>
  bool ready(const ask<Q>& asked) {
    if (rules_ && !failed_ && with_->calendar->get())
      return true;
    if (missing_ && !failed_)
      asked.answer(
        refusal{refusal_code::project_not_found, "there is no project " + std::to_string(id_.value)});
    else
      asked.fail(failure::unavailable);
    return false;
  }

  void decide(const ask<cast_vote>& asked) {
    // Other programs archive projects, and bring them back.
    if (const auto known = with_->projects->standing_of(id_); known != listing::project_index::standing::unknown)
      rules_->set_archived(known == listing::project_index::standing::archived);
    auto decision = rules_->decide(*asked, with_->calendar->get()->current().id, with_->now());
    if (!decision && rules_->pending(asked->voter)) { // not a second vote until there is a first
      contested_.push_back(asked);
      return;
    }
    if (!decision) {
      ops::the_metrics().votes.refused.add();
      return asked.answer(decision.why());
    }
    rules_->apply(*decision);
    unsaved_.push_back(asked);
    voters_->push_back(asked->voter);
    with_->storage.write(stream_, *std::move(decision), self_, asked.get()->deadline(), asked.get()->note());
  }

  /// The votes that these came second to have their outcome.
  void decide_contested() {
    if (contested_.empty() || again_)
      return;
    const auto now = steady_clock::now();
    for (const auto& asked : std::exchange(contested_, {})) {
      if (asked.get()->expired(now))
        asked.fail(failure::timed_out);
      else
        decide(asked);
    }
  }

  void on_stored(const write_outcome& what) {
    in_doubt_ = false;
    rules_->commit(what.count);
    if (const auto now = steady_clock::now(); now >= next_tell_) {
      tell_board(); // before the voters hear, so that a list they ask for has it
      next_tell_ = now + report_every;
    }
    auto& votes = ops::the_metrics().votes;
    profile::votes_landed landed;
    landed.votes.reserve(what.count);
    for (auto i = what.count; i > 0; --i) {
      const auto vote = rules_->vote(rules_->through() - static_cast<entity_seq>(i) + 1);
      (vote.side == profile::sentiment::bullish ? votes.cast_bullish : votes.cast_bearish).add();
      landed.votes.push_back({std::move(unsaved_.front()), vote});
      unsaved_.pop_front();
    }
    voters_->erase(voters_->begin(), voters_->begin() + what.count);
    refusals_ = 0;
    post(with_->others->profiles, std::move(landed));
    decide_contested();
    answer_reads();
    schedule_report();
    leave_when_done();
  }

  /// The period closed while votes were on their way. None of them was written;
  /// each is decided again in the period that is open now.
  void take_back_and_decide_again() {
    closed_period_ = rules_->vote(rules_->through() + 1).in;
    take_back();
    again_ = true;
    undecided_.insert(undecided_.begin(), unsaved_.begin(), unsaved_.end());
    unsaved_.clear();
    on_decide_again();
  }

  /// The database refused the oldest vote: most likely its voter was archived by another
  /// program, and perhaps others were, too. What was sent after it was not written. All of
  /// their voters are looked up, then it fails alone and the others are decided again.
  void on_refused() {
    if (++refusals_ > refused_in_a_row_max)
      return give_up();
    take_back();
    people::look_again who;
    for (const auto& asked : unsaved_)
      who.profiles.push_back(asked->voter);
    refused_.push_back(std::move(unsaved_.front()));
    unsaved_.pop_front();
    again_ = looking_ = true;
    undecided_.insert(undecided_.begin(), unsaved_.begin(), unsaved_.end());
    unsaved_.clear();
    const auto go_on = [this] {
      looking_ = false;
      tell_refused();
      on_decide_again();
      leave_when_done();
    };
    self_->request(with_->others->people, with_->load_timeout, std::move(who))
      .then([go_on](people::looked_again) { go_on(); }, [go_on](const caf::error&) { go_on(); });
  }

  void tell_refused() {
    for (const auto& asked : std::exchange(refused_, {})) {
      if (with_->people->standing_of(asked->voter) == people::people_index::standing::archived)
        asked.answer(people::not_live(asked->voter));
      else
        asked.fail(failure::unavailable);
    }
  }

  void take_back() {
    rules_->drop_pending();
    voters_->clear();
    ++stream_.attempt;
    in_doubt_ = false;
  }

  /// The votes never left this process. What was decided after them is taken back too;
  /// what is committed stands, and reads of it go on.
  void take_back_and_fail() {
    take_back();
    for (const auto& asked : std::exchange(unsaved_, {}))
      asked.fail(failure::unavailable);
    decide_contested();
    expect_no_more_than_pending();
    answer_reads();
    leave_when_done();
  }

  /// After votes were taken back, their numbers may never come.
  void expect_no_more_than_pending() {
    const auto last = rules_->through() + static_cast<entity_seq>(rules_->pending());
    for (auto& read : reads_)
      read.after = std::min(read.after, last);
  }

  void answer_reads() {
    while (!reads_.empty() && (in_doubt_ || reads_.front().after <= rules_->through())) {
      auto read = std::move(reads_.front());
      reads_.pop_front();
      read.answer();
    }
  }

  /// Memory may differ from the database: everybody who waits is told so, and the
  /// router starts this project afresh from committed rows.
  void give_up() {
    failed_ = true;
    for (const auto& asked : unsaved_)
      asked.fail(failure::unavailable);
    for (const auto* held : {&undecided_, &contested_})
      for (const auto& asked : *held)
        asked.fail(failure::unavailable);
    unsaved_.clear();
    undecided_.clear();
    contested_.clear();
    // Reads see committed votes only, and those are true: they need no failure.
    if (rules_) {
      in_doubt_ = true;
      answer_reads();
      answers_.fail_waiting();
    }
    caf::anon_send(router_, wants_out<project_id>{id_});
    leave_when_done();
  }

  void leave_when_done() {
    if (leaving_ && unsaved_.empty() && undecided_.empty() && contested_.empty() && !looking_ && answers_.at_rest())
      self_->quit();
  }

  /// Rankings follow the votes: the board hears of the first commit at once, of a
  /// stream of them five times a second.
  void tell_board() {
    const auto through = rules_->through();
    if (reported_through_ >= through)
      return;
    post(with_->others->listings,
         listing::tally_report{id_, through, rules_->days_since(reported_through_),
                               rules_->periods_since(reported_through_)});
    reported_through_ = through;
  }

  void schedule_report() {
    if (std::exchange(report_due_, true))
      return;
    post(router_, report_later{id_});
  }

  /// Written behind the commits; a start reads tallies instead of all votes.
  void save_tallies() {
    const auto through = rules_->through();
    if (saving_ || saved_through_ >= through || !with_->storage.status->writable.load(std::memory_order_relaxed))
      return;
    with_->storage.write(tallies_,
                         project_tallied{id_, through, rules_->days_since(saved_through_), rules_->periods_since(saved_through_)},
                         self_, steady_clock::now() + save_deadline);
    saving_ = through;
  }

  void on_saved(write_result result) {
    if (result == write_result::in_doubt)
      return; // its fate follows
    if (result == write_result::stored)
      saved_through_ = *saving_;
    else
      ++tallies_.attempt; // the next save has these days too
    saving_.reset();
  }

  pointer self_ = nullptr;
  project_id id_;
  std::shared_ptr<const context> with_;
  project_supervisor router_;
  std::optional<project_state> rules_;
  bool missing_ = false;  // no such project
  bool failed_ = false;   // refuses everything until it is let go
  bool overdue_planned_ = false; // a look at the reads that wait for older votes
  bool leaving_ = false;  // stops as soon as nothing is under way
  bool in_doubt_ = false; // a batch with our votes has no known outcome yet
  bool again_ = false;    // pending votes wait for the next period's calendar, or for `looking_`
  bool looking_ = false;  // for whom the database may have refused
  int refusals_ = 0;      // by the database, since a vote was stored
  bool report_due_ = false;
  steady_time next_tell_{};
  int reports_ = 0;
  period_id closed_period_;
  entity_seq reported_through_ = 0;
  entity_seq saved_through_ = 0;
  std::optional<entity_seq> saving_; // tallies up to this vote are under way
  write_stream stream_;
  write_stream tallies_;
  bystanders voters_;                    // of pending votes, oldest first
  std::deque<ask<cast_vote>> unsaved_;   // pending votes, oldest first
  std::deque<ask<cast_vote>> refused_;   // by the database; answered after the look
  std::deque<ask<cast_vote>> undecided_; // to be decided when the new period is known
  std::deque<ask<cast_vote>> contested_; // second votes, if the first ones are stored
  std::deque<waiting_read> reads_;
  project_reads answers_;
  bool loading_older_ = false; // votes, for who waits in `answers_`
};

project_entity::behavior_type behave(project_plumbing::pointer self, project_id id,
                                     std::shared_ptr<const context> with, project_supervisor router,
                                     bystanders voters) {
  auto& state = self->state;
  state.start(self, id, std::move(with), std::move(router), std::move(voters));
  return {
    [&state](const ask<cast_vote>& asked) { state.cast(asked); },
    [&state](const ask<get_voters>& asked) { state.read(asked); },
    [&state](const ask<get_bulk_totals>& asked) { state.read(asked); },
    [&state](const ask<get_chart>& asked) { state.read(asked); },
    [&state](const ask<get_summary>& asked) { state.read(asked); },
    [&state](const write_outcome& what) { state.on_outcome(what); },
    [&state](passivate) { state.on_passivate(); },
    [&state](report_tallies) { state.on_report(); },
    [&state](decide_again) { state.on_decide_again(); },
    [&state](read_on_now) { state.on_read_on(); },
    [&state](end_overdue_reads) { state.on_end_overdue_reads(); },
  };
}

} // namespace

project_entity spawn_project(caf::actor_system& sys, project_id id, std::shared_ptr<const context> with,
                             project_supervisor router, bystanders voters) {
  return sys.spawn(behave, id, std::move(with), std::move(router), std::move(voters));
}

} // namespace credence::project
