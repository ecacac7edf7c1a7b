#include "actors/kernel/ask.hpp"

namespace credence {

void envelope_base::settle(refusal why) {
  if (!claim())
    return;
  no_answer_ = std::move(why);
  ref();
  send_off();
}

void envelope_base::settle(failure why) {
  if (!claim())
    return;
  no_answer_ = why;
  ref();
  send_off();
}

void envelope_base::unheld() noexcept {
  if (!claim())
    return message_base::unheld();
  revive();
  no_answer_ = failure::stranded;
  send_off();
}

void envelope_base::send_off() noexcept {
  context_.reset(); // what is still to be written carries it as well; who hears the answer may ask again at once
  at_entity_.give_back();
  among_all_.give_back();
  sink_->deliver(this);
}

} // namespace credence
