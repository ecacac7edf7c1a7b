#include "actors/chain/text_reader_actor.hpp"

#include "actors/chain/chain_reader_actor.hpp"
#include "actors/chain/contract_texts.hpp"
#include "actors/chain/follow_pace.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/pending_writes.hpp"
#include "ops/chain_metrics.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace credence::chain {

/// A question has waited for texts as long as it may.
struct texts_timeout_over {
  std::uint64_t question = 0;
};
/// A second has passed.
struct texts_due {};
/// A rest is over.
struct texts_rested {};

namespace {

using namespace std::chrono_literals;

constexpr auto store_deadline = 10s;
constexpr auto text_reader_look_every = 1s;
constexpr auto count_every = 2s;
/// Counting goes through all texts, so the next count comes no sooner than so many times as long as it took.
constexpr int count_rests = 50;
/// Bounds on the texts that are read together and on the bytes of a change, as votes wait behind it.
constexpr std::int32_t read_together = 40, read_together_yielding = 10;
constexpr std::size_t change_bytes_max = 512 * 1024;
/// Left for the answer to arrive.
constexpr auto answer_margin = 200ms;

class text_reader : public actor {
public:
  static inline const char* name = "chain texts";
  using takes = extended<text_reader_handle, write_outcome, texts_due, texts_rested, texts_timeout_over>::takes;

  void start(const std::shared_ptr<const context>& with, const port<storage>& stored, const follow_settings& how,
             const node_list& nodes, const std::shared_ptr<text_sharing>& sharing) {
    sharing_ = sharing;
    with_ = with;
    storage_ = stored;
    how_ = how;
    unread_ = unread_kinds(how);
    nodes_ = spawn_chain_reader(*this, how, nodes);
    after(text_reader_look_every, texts_due{});
  }

  void on(const ask<await_texts>& question) {
    const auto left =
      std::chrono::floor<std::chrono::milliseconds>(question.get()->deadline() - steady_clock::now()) - answer_margin;
    if (left <= 0ms)
      return question.fail(failure::timed_out);
    const auto number = ++last_question_;
    waiting_.push_back({number, question});
    sharing_->waiting.fetch_add(1);
    after(std::clamp<std::chrono::milliseconds>(question->timeout, 0ms, left), texts_timeout_over{number});
    look_up(waiting_.back(), false);
    look();
  }
  void on(const texts_timeout_over& over) {
    if (const auto found = waiter_of(over.question); found != waiting_.end())
      look_up(*found, true);
  }
  void on(const texts_queued&) {
    if (!sharing_->catching_up || !waiting_.empty()) // else the next second will do
      look();
  }
  void on(const texts_due&) {
    after(text_reader_look_every, texts_due{});
    read_last_.reset(); // whatever is due again lies before it
    look();
  }
  void on(const texts_rested&) {
    resting_ = false;
    look();
  }

  void on(const write_outcome& outcome) {
    switch (writes_.on_outcome(outcome)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back: writes_.lose_all(failure::unavailable); break;
      case pending_writes::verdict::refused: on_refused(); break;
    }
    if (writes_.empty() && (more_ || again_))
      look_after_a_rest();
  }

private:
  struct waiter {
    std::uint64_t number = 0;
    ask<await_texts> question;
  };

  // -- reading -------------------------------------------------------------------------------------

  /// Clients wait for answers, or the follower is far behind, and nobody waits for a text.
  bool yields() const {
    const auto& all = with_->others->all_questions;
    return waiting_.empty() && (sharing_->catching_up || (all && all->inside() > sharing_->waiting.load()));
  }

  std::int32_t together() const { return alone_ > 0 ? 1 : yields() ? read_together_yielding : read_together; }

  void look_after_a_rest() {
    const auto rest = rest_behind(steady_clock::now() - began_, yields());
    if (rest <= 0ms)
      return look();
    if (!std::exchange(resting_, true))
      after(rest, texts_rested{});
  }

  void look() {
    again_ = looking_ || !writes_.empty();
    if (again_ || (resting_ && yields()) || pending_writes::closed(*storage_.status, with_->queue_max))
      return;
    more_ = false;
    looking_ = true;
    began_ = steady_clock::now();
    const bool counted = began_ >= count_after_;
    storage_
      .read(
        *this, with_->load_timeout,
        load_text_queue{how_.chain, with_->now(), together(), unread_, alone_ > 0 ? std::nullopt : read_last_, counted})
      .then([this](text_queue& found) { on_queue(found); }, [this](failure) { looking_ = false; });
  }

  static void count(const text_queue& found) {
    ops::the_chain_metrics().texts_wanted.set(found.wanted);
    ops::the_chain_metrics().texts_failed.set(found.failed);
    ops::the_chain_metrics().balances_differing.set(found.differing);
    ops::the_chain_metrics().texts_oldest.set(
      found.oldest ? std::chrono::floor<std::chrono::seconds>(found.oldest->time_since_epoch()).count() : 0);
  }

  void on_queue(text_queue& found) {
    if (found.counted) {
      const auto now = steady_clock::now();
      count_after_ = now + std::max<steady_clock::duration>(count_every, count_rests * (now - began_));
      count(found);
    }
    if (!found.tip)
      return done_looking();
    run_calls question;
    question.tip = *found.tip;
    // The newest state is as good where blocks are final, but for balances, which events move.
    question.at_tip = with_->now() - time_of(found.tip->at) < young_tip
                      || std::any_of(found.due.begin(), found.due.end(),
                                     [](const due_text& each) { return each.of.kind == text_kind::balance; });
    due_.clear();
    for (const auto& each : found.due)
      if (auto call = call_for(each, how_)) {
        question.calls.push_back(std::move(*call));
        due_.push_back(each);
      }
    if (alone_ == 0 && !found.due.empty())
      read_last_ = found.due.back();
    joining_ = found.joining;
    read_at_ = question.at_tip ? found.tip : std::nullopt;
    if (due_.empty())
      return on_answers({});
    request(nodes_, for_ever, std::move(question))
      .then([this](const calls_run& ran) { on_answers(ran); }, [this](failure) { looking_ = false; });
  }

  void on_answers(const calls_run& ran) {
    more_ = !due_.empty() && ran.answers.size() == due_.size();
    texts_read change{{}, read_at_};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < std::min(ran.answers.size(), due_.size()); ++i) {
      auto reading =
        refused_ == due_[i] ? refused_by_the_database() : reading_of(due_[i], ran.answers[i], how_, with_->now());
      tell(reading);
      bytes += reading.text.size() + reading.metadata.size();
      change.texts.push_back(std::move(reading));
      if (bytes >= change_bytes_max) {
        send(std::exchange(change, {{}, read_at_}));
        bytes = 0;
      }
    }
    if (!change.texts.empty() || (joining_ && ran.answers.empty())) {
      more_ = more_ || joining_;
      send(std::move(change));
    }
    done_looking();
  }

  void done_looking() {
    looking_ = false;
    if (writes_.empty() && again_)
      look_after_a_rest();
  }

  static void tell(const text_reading& reading) {
    ops::the_chain_metrics().texts_read[static_cast<std::size_t>(reading.state)].add();
    if (reading.state == text_state::failed)
      ops::log(ops::level::warn, "chain_text_failed",
               {{"kind", std::string{chain::name_of(reading.of.kind)}},
                {"id", reading.of.id},
                {"reason", reading.reason.value_or("")}});
  }

  // -- writing -------------------------------------------------------------------------------------

  void send(texts_read change) {
    writes_.send(storage_, *this, std::move(change), steady_clock::now() + store_deadline, nullptr,
                 {[this](const write_outcome&) { on_stored(); }, [](failure) {}});
  }

  void on_stored() {
    alone_ = std::max(alone_ - 1, 0);
    for (const auto& each : waiting_)
      look_up(each, false);
  }

  /// After a refusal the next `read_together` texts are written one by one. One that is refused alone counts as failed.
  void on_refused() {
    if (alone_ > 0 && !due_.empty())
      refused_ = due_.front();
    alone_ = read_together;
    read_last_.reset();
    more_ = more_ && !due_.empty();
    writes_.lose_all(failure::unavailable);
  }

  text_reading refused_by_the_database() const {
    text_reading out;
    out.of = refused_->of;
    out.stamp = refused_->stamp;
    out.state = text_state::failed;
    out.reason = "refused";
    out.next_at = with_->now();
    return out;
  }

  // -- questions -----------------------------------------------------------------------------------

  std::list<waiter>::iterator waiter_of(std::uint64_t number) {
    return std::find_if(waiting_.begin(), waiting_.end(), [&](const waiter& each) { return each.number == number; });
  }

  void end_wait(std::list<waiter>::iterator who) {
    waiting_.erase(who);
    sharing_->waiting.fetch_sub(1);
  }

  /// Answers a question whose texts are all there, and one whose timeout is over in any case.
  void look_up(const waiter& who, bool in_any_case) {
    const auto number = who.number;
    storage_.read(*this, with_->load_timeout, load_texts_of{how_.chain, who.question->tx, unread_})
      .then(
        [this, number, in_any_case](const texts_of_transaction& found) {
          const auto waits = waiter_of(number);
          if (waits == waiting_.end() || (found.wanted && !in_any_case))
            return;
          waits->question.answer(found);
          end_wait(waits);
        },
        [this, number, in_any_case](failure) {
          const auto waits = waiter_of(number);
          if (waits == waiting_.end() || !in_any_case)
            return;
          waits->question.fail(failure::unavailable);
          end_wait(waits);
        });
  }

  std::shared_ptr<const context> with_;
  port<storage> storage_;
  follow_settings how_;
  chain_reader_handle nodes_;
  pending_writes writes_;
  bool looking_ = false;
  bool resting_ = false;
  bool again_ = false;            // something was queued meanwhile
  bool more_ = false;             // there may be more to read than was found
  bool joining_ = false;          // replies wait to come into their threads
  std::vector<text_kind> unread_; // nobody can be asked for these
  std::vector<due_text> due_;
  std::optional<block_mark> read_at_; // whose state that is; none: the newest
  std::int32_t alone_ = 0;            // so many texts are read by themselves
  std::optional<due_text> refused_;
  std::uint64_t last_question_ = 0;
  std::list<waiter> waiting_; // bounded by the gate in front
  std::shared_ptr<text_sharing> sharing_;
  std::optional<due_text> read_last_; // the next ones come behind it
  steady_time began_{}, count_after_{};
};

} // namespace

text_reader_handle spawn_text_reader(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                                     follow_settings how, node_list nodes, std::shared_ptr<text_sharing> sharing) {
  return text_reader_handle{linked(parent, spawn<text_reader>(parent.system(), std::move(with), std::move(storage),
                                                              std::move(how), std::move(nodes), std::move(sharing)))};
}

} // namespace credence::chain
