#include "actors/kernel/actor.hpp"
#include "ops/log.hpp"
#include "persistence/console/admin_database.hpp"

#include <exception>
#include <optional>

namespace credence::persistence {

/// Time to write what is kept.
struct next_question {};

namespace {

using namespace std::chrono_literals;

constexpr auto turn_every = 1s;

/// Answers with what `work` gives, unless it is too late or the database is away.
template <class Q, class Work>
void answer(const ask<Q>& question, Work work) {
  if (question.get()->expired(steady_clock::now()))
    return question.fail(failure::timed_out);
  try {
    question.answer(work());
  } catch (const database_error& why) {
    if (why.why() == trouble::refused || why.why() == trouble::usage)
      ops::log(ops::level::warn, "console_not_read", {{"sqlstate", why.sqlstate()}, {"error", why.what()}});
    question.fail(failure::unavailable);
  } catch (const std::exception& why) {
    ops::log(ops::level::error, "console_not_read", {{"error", why.what()}});
    question.fail(failure::unavailable);
  }
}

class admin_database_actor : public actor {
public:
  static inline const char* name = "console";
  using takes = extended<console::admin_database_handle, next_question>::takes;

  void start(const settings::store& how) {
    work_.emplace(how);
    after(turn_every, next_question{});
  }

  void on(const ask<console::note_act>& question) {
    if (work_->note(*question))
      return question.answer(console::kept{});
    question.fail(failure::overloaded);
  }
  void on(const ask<console::load_ended>& question) {
    answer(question, [&] { return work_->ended(); });
  }
  void on(const ask<console::read_audit>& question) {
    answer(question, [&] { return work_->audit(*question); });
  }
  void on(const ask<console::read_votes>& question) {
    answer(question, [&] { return work_->votes(*question); });
  }
  void on(const ask<console::read_store>& question) {
    answer(question, [&] { return work_->store(); });
  }
  void on(const ask<console::read_activity>& question) {
    answer(question, [&] { return work_->activity(); });
  }
  void on(const ask<console::start_verification>& question) {
    if (!work_->verification().start(question->by))
      return question.answer(std::optional<console::verification>{});
    question.answer(std::optional{work_->verification().now()});
  }
  void on(const ask<console::get_verification>& question) { question.answer(work_->verification().now()); }
  void on(const ask<console::stop_verification>& question) {
    work_->verification().stop();
    question.answer(console::kept{});
  }
  void on(const ask<console::set_api_access>& question) {
    answer(question, [&]() -> outcome<console::kept> {
      if (work_->set_api_access(*question))
        return console::kept{};
      return refusal{refusal_code::not_found, "there is no profile " + std::to_string(question->profile.value)};
    });
  }
  void on(const ask<console::retry_texts>& question) {
    answer(question, [&] {
      work_->retry_texts(*question);
      return console::kept{};
    });
  }
  void on(const ask<console::reprocess_failed>& question) {
    answer(question, [&]() -> outcome<console::events_tried_again> {
      if (const auto failed = work_->reprocess_failed(*question))
        return console::events_tried_again{*failed};
      return refusal{refusal_code::not_found, "no chain is stored"};
    });
  }
  void on(const ask<console::store_findings>& question) {
    answer(question, [&] { return work_->store_findings(*question); });
  }
  void on(const ask<console::read_rings>& question) {
    answer(question, [&] { return work_->rings(); });
  }
  void on(const ask<console::mark_ring>& question) {
    answer(question, [&] { return work_->mark_ring(*question); });
  }
  void on(const ask<console::read_ring>& question) {
    answer(question, [&] { return work_->ring(*question); });
  }
  void on(const ask<console::review_ring>& question) {
    answer(question, [&] { return work_->review_ring(*question); });
  }
  void on(const next_question&) {
    work_->write_kept();
    after(turn_every, next_question{});
  }

private:
  std::optional<admin_database> work_;
};

} // namespace

console::admin_database_handle spawn_admin_database(caf::actor_system& sys, const settings::store& how) {
  return console::admin_database_handle{spawn_on_own_thread<admin_database_actor>(sys, how)};
}

} // namespace credence::persistence
