#include "actors/score/score_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/pace.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/score/score_state.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace credence::score {

namespace {

using namespace std::chrono_literals;

constexpr auto write_timeout = 10s;
constexpr std::int32_t written_together =
  50; // where no chain is followed, a vote that comes meanwhile waits for no more scores than these
/// While clients wait for answers, a step has so many twentieths of what it may have at most, as their writes wait for
/// it: four at first, half as many after a step that took longer than `step_slow`, and never less than one, so that the
/// work goes on where each commit is slow.
constexpr std::size_t twentieths = 20, first_twentieths = 4;
constexpr auto step_slow = 15ms, step_fast = 8ms;
/// So many pieces of a recount are written before scores have a turn: a user whom several pieces mark is worked out
/// once.
constexpr int recounts_in_a_row_max = 10;
/// How often the metrics of what waits are counted. Where much waits, counting takes as long as a step.
constexpr auto counted_every = 1s;
/// A user whose score could not be worked out or written is tried again so much later, and holds up nobody meanwhile.
constexpr auto retry_after = 60s;

struct rested {};

class score_actor
  : public writing<
      single_actor<score_actor, ops::actor_kind::score, score_handle, context, storage, write_outcome, tick, rested>> {
public:
  static inline const char* name = "scores";
  using single_actor::on;

  void prepare(score_options scoring) { scoring_ = scoring; }

  void on(const ask<get_breakdown>& question) {
    read(question, [&] {
      load_for(question, load_score{question->user}, [this, question](const stored_score& found) {
        if (found.ahead) // the epoch that is due makes the sums ready for that day
          return question.fail(failure::unavailable);
        question.answer(breakdown_of(found.inputs, found.on, scoring_));
      });
    });
  }
  void on(const ask<assume_score>& question) {
    read(question, [&] {
      load_for(question, load_score{question->user}, [this, question](const stored_score& found) {
        if (found.ahead)
          return question.fail(failure::unavailable);
        question.answer(breakdown_of(with_assumed(found.inputs, question->records, found.on), found.on, scoring_));
      });
    });
  }
  void on(const ask<get_progress>& question) {
    read(question, [&] {
      load_for(question, load_score{question->user}, [this, question](const stored_score& found) {
        const bool under_way = std::find(sent_.begin(), sent_.end(), question->user) != sent_.end();
        question.answer(!found.dirty ? progress::idle : under_way ? progress::calculating : progress::queued);
      });
    });
  }

  void each_second() {
    if (!resting_)
      look();
  }
  void on(const rested&) {
    resting_ = false;
    go_on();
  }

  void on(const write_outcome& outcome) {
    switch (writes_.on_outcome(outcome)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back: give_up(); break;
      case pending_writes::verdict::refused:
        if (!sent_.empty())
          set_aside(sent_.front(), "the database refuses it");
        else if (recounts_in_a_row_ > 0)
          postpone_recounts();
        give_up();
        break;
    }
    if (writes_.empty() && (more_ || !waiting_.empty()))
      go_on_after_a_rest();
  }

private:
  /// All writes wait for a step, be it a few scores, a piece of an epoch or of a recount: while clients wait for
  /// answers, they have most of the time.
  void go_on_after_a_rest() {
    const auto took = steady_clock::now() - step_began_;
    if (yields_)
      beside_clients_.took(took);
    yields_ = yields();
    const auto rest = rest_behind(took, yields_);
    if (rest <= 0ms)
      return go_on();
    resting_ = true;
    after(rest, rested{});
  }
  /// With those who are read already, else with what is found.
  void go_on() {
    if (waiting_.empty())
      return look();
    step_began_ = steady_clock::now();
    work_out_more();
    if (writes_.empty()) // all of them are set aside
      look();
  }
  bool yields() {
    const auto& all = with_->others->all_questions;
    return load_detector_.here(all ? all->inside() : 0, steady_clock::now());
  }
  /// Of what a step may have at most, `most`, how much the next one has.
  std::int32_t now_of(std::int32_t most) const {
    const auto share = static_cast<std::int32_t>(yields_ ? beside_clients_.max() : twentieths);
    return std::max(most * share / static_cast<std::int32_t>(twentieths), 1);
  }

  /// Reads what is to be done, unless something is under way. What is marked stays so until its score is committed, so
  /// nothing is lost whatever happens here.
  void look() {
    if (looking_ || !writes_.empty() || closed())
      return;
    looking_ = true;
    more_ = false;
    yields_ = yields();
    const auto now = step_began_ = steady_clock::now();
    const bool recounts_first = recounts_in_a_row_ < recounts_in_a_row_max && now >= recounts_from_;
    const bool counts = now >= counted_from_;
    if (counts)
      counted_from_ = now + counted_every;
    storage_
      .read(*this, with_->load_timeout,
            load_work{now_of(worked_out_together) + static_cast<std::int32_t>(aside_.size()), recounts_first, counts})
      .then(
        [this, recounts_first, counts](const stored_work& found) {
          looking_ = false;
          if (counts)
            tell(found);
          if (found.epoch && writes_.empty())
            go_on(found, recounts_first);
        },
        [this](failure) { looking_ = false; });
  }

  static void tell(const stored_work& found) {
    auto& seen = ops::the_metrics().scores;
    seen.waiting.set(found.waiting);
    seen.oldest.set(found.oldest ? unix_seconds(*found.oldest) : 0);
    seen.recounts.set(found.recounts);
  }

  /// Takes the next step. Pieces of a recount alternate with scores and epochs, and are written alone, so neither
  /// delays the other or fails with it.
  void go_on(const stored_work& found, bool recounts_first) {
    const bool can_recount = found.recount_due && steady_clock::now() >= recounts_from_;
    if (!can_recount || !recounts_first) {
      recounts_in_a_row_ = 0;
      go_on_with_scores(found);
    }
    if (!can_recount)
      return;
    more_ = true;
    if (writes_.empty()) {
      ++recounts_in_a_row_;
      send(records_recounted{now_of(recount_piece_rows), with_->now()});
    }
  }

  void go_on_with_scores(const stored_work& found) {
    if (found.begun)
      return send(epoch_page_turned{found.begun->on, found.begun->step, now_of(epoch_piece_rows), with_->now()});
    if (found.model != scoring_.vouches || found.model_in_progress)
      return turn_model(found.model);
    const auto today = std::chrono::floor<std::chrono::days>(with_->now());
    if (today <= *found.epoch) {
      marks_before_.reset();
      return work_out(found.users, *found.epoch);
    }
    // The marks from before the epoch are worked off first, so that every score is one of the day that has ended.
    if (!marks_before_)
      marks_before_ = found.last_mark;
    std::vector<dirty_user> before;
    std::copy_if(found.users.begin(), found.users.end(), std::back_inserter(before),
                 [&](const dirty_user& each) { return each.mark <= *marks_before_ && !is_aside(each.user); });
    if (!before.empty())
      return work_out(before, *found.epoch);
    ops::log(ops::level::info, "score_epoch_begun",
             {{"day", std::string_view{iso_text(timestamp{today})}.substr(0, 10)}});
    marks_before_.reset();
    send(epoch_begun{today, with_->now()});
  }

  /// All users are marked, piece by piece, before any score is worked out by the other model.
  void turn_model(vouch_model from) {
    if (from != scoring_.vouches)
      ops::log(ops::level::info, "score_model_turned",
               {{"vouches", vouch_model_names[static_cast<std::size_t>(scoring_.vouches)]}});
    send(vouch_model_turned{scoring_.vouches, with_->now()});
  }

  void work_out(const std::vector<dirty_user>& users, day on) {
    more_ = more_ || users.size() >= static_cast<std::size_t>(now_of(worked_out_together));
    waiting_.assign(users.begin(), users.end());
    worked_out_for_ = on;
    work_out_more();
  }
  /// The next few of those that wait; the others follow when these are stored.
  void work_out_more() {
    for (; !waiting_.empty() && sent_.size() < static_cast<std::size_t>(now_of(written_together)); waiting_.pop_front())
      if (!is_aside(waiting_.front().user))
        work_out(waiting_.front(), worked_out_for_);
  }

  void work_out(const dirty_user& who, day on) {
    try {
      const auto breakdown = breakdown_of(who.inputs, on, scoring_);
      sent_.push_back(who.user);
      put({who.user, breakdown.score, points_of(breakdown), on, who.cause, with_->now(), who.mark}, [this] {
        sent_.pop_front();
        ops::the_metrics().scores.worked_out.add();
      });
    } catch (const std::exception& why) { // rows that no rule allows
      set_aside(who.user, why.what());
    }
  }

  /// A step of an epoch or of a recount. The next one follows.
  template <class Change>
  void send(Change change) {
    put(std::move(change), [] {});
    more_ = true;
  }
  template <class Change, class Then>
  void put(Change change, Then then) {
    writes_.send(storage_, *this, std::move(change), steady_clock::now() + write_timeout, nullptr,
                 {[then = std::move(then)](const write_outcome&) { then(); }, [](failure) {}});
  }
  void put(score_changed change, std::function<void()> then) {
    put<score_changed, std::function<void()>>(std::move(change), std::move(then));
  }

  /// Nothing of what was sent is written from now on; the marks are still there.
  void give_up() {
    sent_.clear();
    waiting_.clear();
    more_ = false;
    writes_.lose_all(failure::unavailable);
  }

  void postpone_recounts() {
    ops::log(ops::level::error, "records_not_recounted", {{"error", "the database refuses it"}});
    recounts_from_ = steady_clock::now() + retry_after;
  }
  void set_aside(user_id who, std::string_view why) {
    ops::log(ops::level::error, "score_not_worked_out", {{"user", who.value}, {"error", why}});
    aside_[who] = steady_clock::now() + retry_after;
  }
  bool is_aside(user_id who) {
    const auto found = aside_.find(who);
    if (found == aside_.end() || steady_clock::now() < found->second)
      return found != aside_.end();
    aside_.erase(found);
    return false;
  }

  score_options scoring_;
  bool looking_ = false;
  int recounts_in_a_row_ = 0; // since the last step of another kind
  steady_time step_began_{};
  load_detector load_detector_;
  step_size beside_clients_{twentieths, first_twentieths, {step_slow, step_fast}};
  bool yields_ = false;                      // clients waited for answers when the step began
  bool resting_ = false;                     // a timer begins the next step
  steady_time recounts_from_{};              // none before
  steady_time counted_from_{};               // when what waits is counted next
  bool more_ = false;                        // there may be more to do than was found
  std::deque<user_id> sent_;                 // whose scores are on their way to the database, oldest first
  std::deque<dirty_user> waiting_;           // read, and not worked out yet
  day worked_out_for_{};                     // these
  std::optional<std::int64_t> marks_before_; // the last mark from before the epoch that is due
  std::map<user_id, steady_time> aside_;     // until when
};

} // namespace

score_handle spawn_scores(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage,
                          score_options scoring) {
  return spawn_single<score_actor>(sys, std::move(with), std::move(storage), scoring);
}

} // namespace credence::score
