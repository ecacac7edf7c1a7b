#include "actors/reputation/record_actor.hpp"

#include "actors/kernel/single_actor.hpp"
#include "actors/reputation/review_state.hpp"
#include "config/limits.hpp"

#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace credence::reputation {

namespace {

/// A request that waits for its round.
using request = std::variant<ask<create_review>, ask<edit_review>, ask<archive_review>>;

class record_actor : public writing<single_actor<record_actor, ops::actor_kind::record, record_handle, context, storage, write_outcome>> {
public:
  static inline const char* name = "records";
  using single_actor::on;

  void on(const ask<create_review>& asked) { take_in(asked); }
  void on(const ask<edit_review>& asked) { take_in(asked); }
  void on(const ask<archive_review>& asked) { take_in(asked); }

  void on(const ask<get_review>& asked) {
    read(asked, [&] {
      load_for<found_review>(asked, load_review{asked->id}, [asked](found_review& found) {
        if (found.what)
          asked.answer(*std::move(found.what));
        else
          asked.answer(refusal{refusal_code::not_found, "there is no review " + std::to_string(asked->id.value)});
      });
    });
  }

  void on(const write_outcome& what) {
    switch (writes_.on_outcome(what)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back: writes_.ask_all_again(failure::unavailable); break;
      case pending_writes::verdict::refused: writes_.lose_oldest(failure::unavailable); break;
    }
    put_back();
    begin_round();
  }

private:
  template <class Q>
  void take_in(const ask<Q>& asked) {
    change_with(asked, [&] {
      waiting_.push_back(asked);
      begin_round();
    });
  }

  /// Reads what the requests need that wait, unless a round is under way.
  void begin_round() {
    if (reading_ || !writes_.empty() || waiting_.empty())
      return;
    record_keys keys;
    for (; !waiting_.empty() && round_.size() < limits::records_decided_together; waiting_.pop_front()) {
      std::visit([&](const auto& asked) { add_keys(*asked, keys); }, waiting_.front());
      round_.push_back(std::move(waiting_.front()));
    }
    reading_ = true;
    self_->request(storage_.reader, with_->load_timeout, load_records{std::move(keys)})
      .then(
        [this](stored_records& stored) {
          reading_ = false;
          record_rows rows{std::move(stored)};
          for (const auto& each : std::exchange(round_, {}))
            std::visit([&](const auto& asked) { decide_in(rows, asked); }, each);
          begin_round(); // where nothing had to be written
        },
        [this](const caf::error&) {
          reading_ = false;
          for (const auto& each : std::exchange(round_, {}))
            std::visit([](const auto& asked) { asked.fail(failure::unavailable); }, each);
          begin_round();
        });
  }

  template <class Q>
  void decide_in(record_rows& rows, const ask<Q>& asked) {
    if (asked.get()->expired(steady_clock::now()))
      return asked.fail(failure::timed_out);
    if (!can_write(asked))
      return;
    const auto again = [this, asked] { again_.push_back(asked); };
    auto decision = decide(rows, *asked, with_->joining, with_->now());
    if (!decision)
      return refuse(asked, decision.why(), again);
    if (asked->dry_run || !decision->change)
      return answer_after_those_before(asked, std::move(decision->answer), again);
    rows.apply(*decision->change);
    write(
      asked, *std::move(decision->change), [asked, answer = std::move(decision->answer)](const write_outcome&) { asked.answer(answer); }, {}, again);
  }

  /// What is said may rest on changes of this round: it is told when they are in.
  template <class Q>
  void answer_after_those_before(const ask<Q>& asked, typename Q::answer_type what, std::function<void()> again) {
    if (writes_.empty())
      return asked.answer(std::move(what));
    writes_.after(
      {[asked, what = std::move(what)](const write_outcome&) { asked.answer(what); }, [asked](failure why) { asked.fail(why); }, std::move(again)});
  }

  /// Those to be decided again come first, in their order.
  void put_back() {
    waiting_.insert(waiting_.begin(), again_.begin(), again_.end());
    again_.clear();
  }

  std::deque<request> waiting_; // as many as are let in
  std::vector<request> round_;  // their rows are being read
  std::vector<request> again_;  // a change before theirs came to nothing
  bool reading_ = false;
};

} // namespace

record_handle spawn_records(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<record_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::reputation
