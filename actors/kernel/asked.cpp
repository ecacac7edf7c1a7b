#include "actors/kernel/asked.hpp"

#include <caf/abstract_actor.hpp>

namespace credence::detail {

void post_question(caf::abstract_actor* to, question_ref question) {
  if (to)
    to->eq_impl(caf::make_message_id(), nullptr, own_turns::current(), std::move(question));
}

void send_question(caf::abstract_actor* to, question_ref question) {
  if (to)
    to->eq_impl(caf::make_message_id(), nullptr, nullptr, std::move(question));
}

} // namespace credence::detail
