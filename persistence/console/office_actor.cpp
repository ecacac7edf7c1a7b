#include "persistence/console/office_actor.hpp"

#include "actors/kernel/behaviour.hpp"
#include "ops/log.hpp"
#include "persistence/console/office.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace credence::persistence {

/// Time to write what is kept.
struct office_turn {};

namespace {

using namespace std::chrono_literals;

constexpr auto turn_every = 1s;

using office_entity = console::office_handle::extend<caf::reacts_to<office_turn>>;

struct office_plumbing {
  static inline const char* name = "console";
  std::optional<office> work;
};

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

caf::behavior behave_as_office(caf::stateful_actor<office_plumbing>* self, const settings::store& how) {
  self->state.work.emplace(how);
  self->delayed_send(self, turn_every, office_turn{});
  auto& work = *self->state.work;
  return behaviour_by<office_entity>(
    [&work](const ask<console::note_act>& question) {
      if (work.note(*question))
        return question.answer(console::kept{});
      question.fail(failure::overloaded);
    },
    [&work](const ask<console::load_ended>& question) { answer(question, [&] { return work.ended(); }); },
    [&work](const ask<console::read_audit>& question) { answer(question, [&] { return work.audit(*question); }); },
    [&work](const ask<console::read_store>& question) { answer(question, [&] { return work.store(); }); },
    [&work](const ask<console::start_verification>& question) {
      if (!work.verification().start(question->by))
        return question.answer(std::optional<console::verification>{});
      question.answer(std::optional{work.verification().now()});
    },
    [&work](const ask<console::get_verification>& question) { question.answer(work.verification().now()); },
    [&work](const ask<console::stop_verification>& question) {
      work.verification().stop();
      question.answer(console::kept{});
    },
    [&work](const ask<console::set_api_access>& question) {
      answer(question, [&]() -> outcome<console::kept> {
        if (work.set_api_access(*question))
          return console::kept{};
        return refusal{refusal_code::not_found, "there is no profile " + std::to_string(question->profile.value)};
      });
    },
    [&work](const ask<console::retry_texts>& question) {
      answer(question, [&] {
        work.retry_texts(*question);
        return console::kept{};
      });
    },
    [&work](const ask<console::reprocess_failed>& question) {
      answer(question, [&]() -> outcome<console::events_tried_again> {
        if (const auto failed = work.reprocess_failed(*question))
          return console::events_tried_again{*failed};
        return refusal{refusal_code::not_found, "no chain is stored"};
      });
    },
    [self, &work](office_turn) {
      work.write_kept();
      self->delayed_send(self, turn_every, office_turn{});
    });
}

} // namespace

console::office_handle spawn_office(caf::actor_system& sys, const settings::store& how) {
  return spawn_as<console::office_handle, caf::detached>(sys, behave_as_office, how);
}

} // namespace credence::persistence

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::persistence::office_turn)
