// The answer to a request with an Idempotency-Key is kept before its client gets it.
#include "actors/idempotency/idempotency_actor.hpp"
#include "http/server/connection.hpp"

#include <utility>

namespace credence::http {

bool connection::has_to_record() const noexcept {
  return call_.context_ && call_.context_->idempotent() && !answer_recorded_ && call_.status_ >= 200
         && call_.status_ < 300;
}

/// So that it will never get another one.
void connection::record_answer() {
  answer_recorded_ = true;
  const auto& context = *call_.context_;
  idempotency::record_answer question{
    {context.id(), context.fingerprint(), context.at(), static_cast<std::int32_t>(call_.status_), call_.out_}};
  const auto out_before = call_.questions_out_;
  // The context stays: nobody else goes on with this key meanwhile.
  call_.ask(call_.to().idempotency, std::move(question),
            [status = std::exchange(call_.status_, 0u),
             body = std::exchange(call_.out_, {})](call& c, const idempotency::recorded&) mutable {
              c.out() = std::move(body);
              c.reply(status);
            });
  after_handler(out_before);
}

} // namespace credence::http
