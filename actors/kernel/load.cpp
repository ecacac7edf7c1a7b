#include "actors/kernel/load.hpp"

#include <caf/actor_cast.hpp>
#include <caf/atom.hpp>
#include <caf/behavior.hpp>
#include <caf/duration.hpp>
#include <caf/make_message.hpp>
#include <caf/scheduled_actor.hpp>

namespace credence {

namespace {

const auto of_readers = caf::atom("readers");

} // namespace

caf::error make_error(no_place why) { return {static_cast<std::uint8_t>(why), of_readers}; }

failure failure_of(const caf::error& why) noexcept {
  if (why.category() != of_readers)
    return failure::unavailable;
  return why.code() == static_cast<std::uint8_t>(no_place::of_asker) ? failure::too_many : failure::overloaded;
}

} // namespace credence

namespace credence::detail {

void ask_readers(caf::scheduled_actor& asker, const reader_handle& readers,
                 std::optional<std::chrono::milliseconds> timeout, any_load load, bool alone,
                 std::function<void(any_found&)> found, std::function<void(const caf::error&)> failed) {
  const auto id = asker.new_request_id(caf::message_priority::normal);
  if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(readers)) {
    to->enqueue(asker.ctrl(), id, caf::make_message(std::move(load)), asker.context());
    asker.request_response_timeout(timeout ? caf::duration{*timeout} : caf::duration{caf::infinite}, id);
  } else {
    asker.enqueue(asker.ctrl(), id.response_id(), caf::make_message(caf::make_error(caf::sec::invalid_argument)),
                  asker.context());
  }
  caf::behavior answered{[found = std::move(found)](any_found& came) { found(came); },
                         [failed = std::move(failed)](const caf::error& why) { failed(why); }};
  if (alone)
    asker.add_awaited_response_handler(id.response_id(), std::move(answered));
  else
    asker.add_multiplexed_response_handler(id.response_id(), std::move(answered));
}

} // namespace credence::detail
