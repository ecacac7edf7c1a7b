#include "actors/project/project_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/entity_actor.hpp"
#include "actors/kernel/entity_router.hpp"
#include "actors/kernel/fair_mutex.hpp"
#include "actors/kernel/turns.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/figures.hpp"
#include "actors/project/project_state.hpp"
#include "actors/project/tallies.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace credence::project {

/// Time to report tallies to the board, and now and then to the store.
struct report_tallies {};
/// To the router: this project has tallies to report, with those of others a moment from now.
struct report_later {
  project_id id;
};
/// Time for the projects that have something to report.
struct reports_due {};
/// Time to decide pending votes again, after their period closed under them.
struct decide_again {};
/// Time to tell those whose time is up while older votes are being read.
struct end_overdue_reads {};
/// A read that looks at many votes goes on. Such reads of all projects take turns: while many projects ranked their
/// voters at once, votes waited behind a piece of each.
struct read_on_now {
  fair_mutex::guard_ptr turn;
};

struct projects {
  static constexpr auto kind = ops::actor_kind::project;
  using storage = project::storage;
  using id = project_id;
  static auto whose(const auto& question) -> decltype(question.project) { return question.project; }
  using handle = project_handle;
  using questions = project_handle;
  using to_one = types<report_tallies, decide_again, read_on_now, end_overdue_reads>;
  using to_router = types<report_later, reports_due>;
};

namespace {

using namespace std::chrono_literals;

constexpr auto overdue_every = 500ms;    // a look at reads that wait for older votes
constexpr auto decide_again_after = 5ms; // until the new calendar is out
/// When the database refuses more votes than these in a row, it is not the votes that are wrong
/// but what is in memory.
constexpr int refused_in_a_row_max = 2;

/// Votes that a read looks at before others have their turn: some hundred microseconds. The first piece waits for no
/// turn, and is enough for most reads.
constexpr std::size_t votes_at_once = 8192;
constexpr std::size_t votes_at_first = 512;

/// The reads of one project: those that wait for the votes taken in before them, those that wait for its older votes,
/// and those that look at many votes, which are done one after the other and piece by piece, askers in turn. A plain
/// object in the actor's state.
class project_reads {
public:
  /// `go_on` is to call `read_on` once others have had their turn.
  void start(project_id id, const context& with, std::optional<project_state>& rules, std::function<void()> go_on) {
    with_ = &with;
    rules_ = &rules;
    go_on_ = std::move(go_on);
    figures_.start(id, with.projects->figures());
  }

  /// Votes were committed: what pages of the board show follows, before anybody hears of these.
  void renew_figures() {
    if (!reads_at_length())
      figures_.renew(**rules_, with_->now());
    else
      figures_.withdraw(); // they look at the rankings that would be renewed
  }
  /// Memory may differ from the database: pages show nothing from it.
  void withdraw_figures() { figures_.close(); }

  /// Answers from what is committed. All votes that the question is about must be here: see `can_answer`.
  void answer(const ask<get_voters>& question) {
    with_period(question, [&](const period::calendar& periods) {
      at_length(question, (*rules_)->voters(*question, periods, with_->now()));
    });
  }
  void answer(const ask<get_bulk_totals>& question) {
    with_period(question, [&](const period::calendar& periods) {
      question.answer((*rules_)->bulk_totals(*question, periods, with_->now()));
    });
  }
  void answer(const ask<get_chart>& question) {
    with_period(question, [&](const period::calendar& periods) {
      auto chart = (*rules_)->chart(*question, periods, with_->now());
      if (!chart)
        return question.answer(chart.why());
      at_length(question, *std::move(chart));
    });
  }
  void answer(const ask<get_summary>& question) {
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
  /// Goes on with the long read whose turn it is.
  void read_on() { read_on(votes_at_once); }

  /// Keeps a question until the votes that are pending now are committed.
  template <class Q>
  void answer_after_pending(const ask<Q>& question) {
    after_votes_.push_back({last_pending(), [this, question] { answer(question); }});
  }
  /// Answers, in their order, the questions kept whose votes are committed.
  void answer_committed() {
    while (!after_votes_.empty() && after_votes_.front().after <= (*rules_)->through())
      answer_next();
  }
  /// Answers all questions kept, from what is committed.
  void answer_all() {
    while (!after_votes_.empty())
      answer_next();
  }
  /// After votes were taken back, their numbers may never come: no question waits for more than is pending now.
  void expect_no_more_than_pending() {
    const auto last = last_pending();
    for (auto& read : after_votes_)
      read.after = std::min(read.after, last);
  }

  /// Whether no older vote has to be read for it. While older ones wait to be taken in no read begins,
  /// or those under way might never end.
  bool can_answer(const get_summary& query) const {
    const auto& rules = **rules_;
    if (older_ || rules.whole())
      return !older_;
    return query.of_period_only && rules.holds(query.in ? query.in : with_->calendar->get()->current().id);
  }
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
  void take_history(stored_history older) {
    older_ = std::move(older);
    if (!reads_at_length())
      read_on();
  }
  /// Whoever waits for older votes is told that there are none to be had now.
  void fail_waiting() {
    for (const auto& each : std::exchange(waiting_, {}))
      each.fail(failure::unavailable);
  }

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
    bool fits(const get_summary& other, entity_seq n, timestamp now) const {
      return n == through && std::chrono::floor<std::chrono::days>(now) == day && query.in == other.in
             && query.top_voters == other.top_voters && query.sparkline_days == other.sparkline_days
             && query.delta_days == other.delta_days && query.of_period_only == other.of_period_only && now >= made
             && now - made < figures::ranked_anew_after;
    }
  };

  /// The number of the last vote taken in, committed or not.
  entity_seq last_pending() const { return (*rules_)->through() + static_cast<entity_seq>((*rules_)->pending()); }
  bool reads_at_length() const noexcept { return long_read_ || !long_reads_.empty(); }
  void read_on(std::size_t votes) {
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
  void answer_next() {
    const auto next = std::move(after_votes_.front());
    after_votes_.pop_front();
    next.answer();
  }
  /// The kept summary, if it is what a page of the board shows and every committed vote is in it.
  void publish_figures() {
    const auto& shown = summary_->query;
    if (summary_->through == (*rules_)->through() && shown.in == with_->calendar->get()->current().id
        && shown.top_voters == page_voters && shown.sparkline_days == 0 && shown.delta_days.empty()
        && !shown.of_period_only)
      figures_.publish(shown.in, summary_->answer, summary_->made);
  }

  template <class Q, class F>
  void with_period(const ask<Q>& question, F&& answer) {
    const auto& periods = *with_->calendar->get();
    if (question->in.kind == scope_kind::period && !periods.find(question->in.named))
      return question.answer(refusal{refusal_code::period_not_found, period::no_such(question->in.named)});
    answer(periods);
  }
  /// Answers after a read that may look at many votes: others have their turn in between, and such reads come one after
  /// the other. It is charged like database time.
  template <class Q, class Answer, class Then>
  void at_length(const ask<Q>& question, long_read_ptr<Answer> read, Then then) {
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

/// The actor that owns one listing's votes. Its votes are written in one stream and committed in
/// batches, so what becomes of them is kept in their order and not vote by vote.
class project_actor : public entity_actor<project_actor, projects, context> {
public:
  static inline const char* name = "project";
  using entity_actor::on;

  void load() {
    stream_.incarnation = next_incarnation();
    answers_.start(id_, *with_, rules_, [this] { wait_to_read_on(); });
    // Nothing else is handled until the votes are in that deciding others needs. Millions of them take seconds, however
    // long the line is: clients are answered 503 by their own deadline, and find them loaded when they come again.
    storage_.read(*this, load_project{id_})
      .await(
        [this](stored_project& stored) {
          if (!stored.exists) {
            missing_ = true;
            return;
          }
          reports_.start(id_, *with_, storage_, stored.tallied_through);
          rules_.emplace(id_, std::move(stored), *with_->people);
          reports_.tell_board(*rules_);
          if (reports_.behind(*rules_))
            schedule_report();
        },
        [this](failure why) {
          ops::log(ops::level::warn, "project_not_loaded",
                   {{"project", std::int64_t{id_.value}}, {"error", text_of(why)}});
          start_afresh();
        });
  }

  // -- votes ------------------------------------------------------------------------

  void on(const ask<cast_vote>& question) {
    read(question, [&] {
      if (!ready(question) || !can_write(question))
        return;
      if (again_) // keep the order: it is decided together with those before it
        return undecided_.push_back(question);
      decide(question);
    });
  }

  void on(const write_outcome& outcome) {
    if (reports_.on_outcome(outcome) || !(outcome.stream == stream_))
      return; // of an attempt given up
    switch (outcome.result) {
      case write_result::stored: return on_stored(outcome);
      case write_result::in_doubt:
        // The outcome may take long; committed votes stay readable meanwhile.
        in_doubt_ = true;
        return answer_reads();
      case write_result::stale: return take_back_and_decide_again();
      case write_result::not_written:
      case write_result::too_long: return take_back_and_fail();
      case write_result::failed: return on_refused();
    }
  }

  void on(const decide_again&) { go_on_deciding(); }

  void go_on_deciding() {
    if (!again_ || looking_ || failed_)
      return;
    fail_expired(undecided_, steady_clock::now());
    if (with_->calendar->get()->current().id.value <= closed_period_.value && !undecided_.empty())
      return after(decide_again_after, decide_again{});
    again_ = false;
    for (const auto& question : std::exchange(undecided_, {}))
      decide(question);
    decide_contested();
    answers_.expect_no_more_than_pending();
    answer_reads();
    leave_when_done();
  }

  // -- reads ------------------------------------------------------------------------

  /// Answers once every vote taken in before the question is committed, and the older votes that it is
  /// about are in memory.
  template <class Q>
  void on(const ask<Q>& question) {
    read(question, [&] { answer_after_votes(question); });
  }

  void on(const read_on_now&) {
    const handling here{kind, {}};
    answers_.read_on();
    leave_when_done();
  }

  void on(const end_overdue_reads&) {
    overdue_planned_ = false;
    answers_.fail_overdue(steady_clock::now());
    look_for_overdue_reads();
    leave_when_done();
  }

  // -- coming and going ---------------------------------------------------------------

  void on(const passivate& now) {
    if (!failed_ && rules_) {
      reports_.tell_board(*rules_); // whoever is loaded after this does not tell of days that are saved
      reports_.save(*rules_, *this);
    }
    entity_actor::on(now);
  }

  void on(const report_tallies&) {
    report_due_ = false;
    if (failed_ || !rules_)
      return;
    reports_.report(*rules_, *this);
    if (reports_.behind(*rules_))
      schedule_report();
  }

  std::vector<figure> in_memory() const {
    const auto* periods = with_->calendar->get();
    return rules_ ? rules_->in_memory(periods ? std::optional{periods->current().id} : std::nullopt)
                  : std::vector<figure>{};
  }
  std::vector<recent_change> last_changes() const { return changes_.list(); }

  bool at_rest() const noexcept {
    return unsaved_.empty() && undecided_.empty() && contested_.empty() && !looking_ && answers_.at_rest();
  }

private:
  template <class Q>
  void answer_after_votes(const ask<Q>& question) {
    if (!ready(question))
      return;
    if (!answers_.can_answer(*question)) {
      answers_.wait(
        question.get()->deadline(), [this, question] { answer_late(question); },
        [question](failure why) { question.fail(why); });
      look_for_overdue_reads();
      return load_older();
    }
    if (in_doubt_ || rules_->pending() == 0)
      return answers_.answer(question);
    answers_.answer_after_pending(question);
  }

  /// The question has what it waited for.
  template <class Q>
  void answer_late(const ask<Q>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    answer_after_votes(question);
  }

  void look_for_overdue_reads() {
    if (answers_.somebody_waits() && !std::exchange(overdue_planned_, true))
      after(overdue_every, end_overdue_reads{});
  }

  void wait_to_read_on() {
    with_->long_reads->wait([me = weak_actor_ref{this_actor()}](fair_mutex::guard_ptr turn) {
      send(actor_handle<read_on_now>{me.lock()}, read_on_now{std::move(turn)});
    });
  }

  /// Asks for the votes that were left out when this was loaded, unless that is under way. Votes are taken meanwhile.
  void load_older() {
    if (loading_older_ || !answers_.needs_history())
      return;
    loading_older_ = true;
    storage_.read(*this, load_history{id_, rules_->base()})
      .then(
        [this](stored_history& older) {
          loading_older_ = false;
          answers_.take_history(std::move(older));
          leave_when_done();
        },
        [this](failure why) {
          loading_older_ = false;
          ops::log(ops::level::warn, "project_history_not_loaded",
                   {{"project", std::int64_t{id_.value}}, {"error", text_of(why)}});
          answers_.fail_waiting(); // the next one tries again
          leave_when_done();
        });
  }

  /// False when the question has been answered because there is nothing to ask.
  template <class Q>
  bool ready(const ask<Q>& question) {
    if (rules_ && !failed_ && with_->calendar->get())
      return true;
    if (missing_ && !failed_)
      question.answer(refusal{refusal_code::project_not_found, "there is no project " + std::to_string(id_.value)});
    else
      question.fail(failure::unavailable);
    return false;
  }

  void decide(const ask<cast_vote>& question) {
    // Other programs archive projects, and bring them back.
    using status = listing::project_index::status;
    if (const auto known = with_->projects->status_of(id_); known != status::unknown)
      rules_->set_status(known == status::archived, known == status::unsettled);
    auto decision = rules_->decide(*question, with_->calendar->get()->current().id, with_->now());
    if (!decision && rules_->pending(question->voter)) // not a second vote until there is a first
      return contested_.push_back(question);
    if (!decision) {
      ops::the_metrics().votes.refused.add();
      return question.answer(decision.why());
    }
    if (question->dry_run)
      return question.answer(vote_receipt{decision->side, {}});
    rules_->apply(*decision);
    unsaved_.push_back(question);
    others_->push_back(question->voter);
    changes_.sent(kind_name(*decision), decision->at);
    storage_.write(stream_, *std::move(decision), *this, question.get()->deadline(), question.get()->context());
  }

  /// The votes that these came second to have their outcome.
  void decide_contested() {
    if (contested_.empty() || again_)
      return;
    fail_expired(contested_, steady_clock::now());
    for (const auto& question : std::exchange(contested_, {}))
      decide(question);
  }

  void on_stored(const write_outcome& outcome) {
    in_doubt_ = false;
    rules_->commit(outcome.count);
    changes_.settled(outcome.count, change_fate::committed);
    answers_.renew_figures();          // before the voters hear, as the next line
    reports_.tell_board_soon(*rules_); // before the voters hear, so that a list they ask for has it
    auto& votes = ops::the_metrics().votes;
    profile::votes_landed landed;
    landed.votes.reserve(outcome.count);
    for (auto i = outcome.count; i > 0; --i) {
      const auto vote = rules_->vote(rules_->through() - static_cast<entity_seq>(i) + 1);
      (vote.side == profile::sentiment::bullish ? votes.cast_bullish : votes.cast_bearish).add();
      landed.votes.push_back({std::move(unsaved_.front()), vote});
      unsaved_.pop_front();
    }
    others_->erase(others_->begin(), others_->begin() + outcome.count);
    refusals_ = 0;
    post(with_->others->profiles.to(), std::move(landed));
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
    go_on_deciding();
  }

  /// The database refused the oldest vote, most likely because another program has archived its voter, and perhaps
  /// others. The votes sent after it were not written. Looks up all of their voters, then fails the oldest vote alone
  /// and decides the others again.
  void on_refused() {
    if (++refusals_ > refused_in_a_row_max)
      return start_afresh();
    changes_.settled(1, change_fate::refused);
    take_back();
    people::invalidate who;
    for (const auto& question : unsaved_)
      who.profiles.push_back(question->voter);
    refused_.push_back(std::move(unsaved_.front()));
    unsaved_.pop_front();
    again_ = looking_ = true;
    undecided_.insert(undecided_.begin(), unsaved_.begin(), unsaved_.end());
    unsaved_.clear();
    const auto go_on = [this] {
      looking_ = false;
      tell_refused();
      go_on_deciding();
      leave_when_done();
    };
    request(with_->others->people.to(), with_->load_timeout, std::move(who))
      .then([go_on](people::looked_again) { go_on(); }, [go_on](failure) { go_on(); });
  }

  void tell_refused() {
    for (const auto& question : std::exchange(refused_, {})) {
      if (with_->people->status_of(question->voter) == people::people_index::status::archived) {
        question.answer(people::not_live(question->voter));
        refusals_ = std::max(refusals_ - 1, 0); // it was the vote
      } else
        question.fail(failure::refused);
    }
  }

  void take_back() {
    rules_->take_back();
    changes_.settled_all(change_fate::given_up);
    others_->clear();
    ++stream_.attempt;
    in_doubt_ = false;
  }

  /// The votes are not in the database and will not be. What was decided after them is taken back too;
  /// what is committed stands, and reads of it go on.
  void take_back_and_fail() {
    take_back();
    for (const auto& question : std::exchange(unsaved_, {}))
      question.fail(failure::unavailable);
    decide_contested();
    answers_.expect_no_more_than_pending();
    answer_reads();
    leave_when_done();
  }

  /// While an outcome is in doubt, which may take long, reads wait for none.
  void answer_reads() {
    if (in_doubt_)
      answers_.answer_all();
    else
      answers_.answer_committed();
  }

  /// Memory may differ from the database: everybody who waits is told so, and the
  /// router starts this project afresh from committed rows.
  void start_afresh() {
    ask_for_another_life();
    changes_.settled_all(change_fate::given_up);
    answers_.withdraw_figures();
    for (const auto& question : unsaved_)
      question.fail(failure::unavailable);
    for (const auto* held : {&undecided_, &contested_})
      for (const auto& question : *held)
        question.fail(failure::unavailable);
    unsaved_.clear();
    undecided_.clear();
    contested_.clear();
    // Reads see committed votes only, and those are true: they need no failure.
    if (rules_) {
      in_doubt_ = true;
      answer_reads();
      answers_.fail_waiting();
    }
    leave_when_done();
  }

  void schedule_report() {
    if (std::exchange(report_due_, true))
      return;
    post(router_, report_later{id_});
  }

  std::optional<project_state> rules_;
  bool missing_ = false;         // no such project
  bool overdue_planned_ = false; // a look at the reads that wait for older votes
  bool in_doubt_ = false;        // a batch with our votes has no known outcome yet
  bool again_ = false;           // pending votes wait for the next period's calendar, or for `looking_`
  bool looking_ = false;         // for whom the database may have refused
  int refusals_ = 0;             // by the database, since a vote was stored, that no archived voter explains
  bool report_due_ = false;
  period_id closed_period_;
  write_stream stream_;
  recent_changes changes_;
  std::deque<ask<cast_vote>> unsaved_;   // pending votes, oldest first
  std::deque<ask<cast_vote>> refused_;   // by the database; answered after the look
  std::deque<ask<cast_vote>> undecided_; // to be decided when the new period is known
  std::deque<ask<cast_vote>> contested_; // second votes, if the first ones are stored
  project_reads answers_;
  tally_reports reports_;
  bool loading_older_ = false; // votes, for who waits in `answers_`
};

class project_router : public entity_router<project_router, projects, context> {
public:
  static inline const char* name = "projects";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_projects_max, limits.waiting_per_project_max, failure::overloaded};
  }
  auto spawn(birth<projects, context> born) { return spawn_entity<project_actor>(system(), std::move(born)); }

  /// Made-up ids cost no actor and no look-up.
  template <class Q>
  void on(const ask<Q>& question) {
    const auto& known = *with_->projects;
    if (known.complete() && known.status_of(question->project) == listing::project_index::status::unknown)
      return question.answer(
        refusal{refusal_code::project_not_found, "there is no project " + std::to_string(question->project.value)});
    entity_router::on(question);
  }

  /// One timer for all of them: it wakes two threads each time.
  void on(const report_later& who) {
    if (reporting_.empty())
      after(report_every, reports_due{});
    reporting_.push_back(who.id);
  }
  void on(const reports_due&) {
    for (const auto who : std::exchange(reporting_, {}))
      kids().tell_if_live(who, report_tallies{});
  }

  void after_loss(project_id, const std::vector<profile_id>& voters) {
    for (const auto voter : voters)
      send(with_->others->profiles.to(), mark_stale<profile_id>{voter});
  }

private:
  std::vector<project_id> reporting_;
};

} // namespace

project_handle spawn_projects(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<project_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::project
