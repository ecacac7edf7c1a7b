#include "actors/reputation/record_actor.hpp"
#include "http/api/profiles/invitation_json.hpp"
#include "http/api/profiles/operations.hpp"
#include "http/api/profiles/profile_orders.hpp"
#include "http/api/replies.hpp"

namespace credence::http {

namespace {

using reputation::invitation_record;

void reply_invitation(call& c, invitation_record& answer) {
  json_writer to{c.out()};
  encode(to, answer);
  c.reply();
}

} // namespace

namespace v2 {

void send_invitation(call& c) {
  const auto question = read_invitation(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *question, &reply_invitation);
}

void cancel_invitation(call& c) {
  const auto question = read_cancel(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *question, &reply_invitation);
}

void replay_change_invitation(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  c.ask(c.to().records, reputation::get_invitation{invitation_id{static_cast<std::int32_t>(number)}},
        &reply_invitation);
}

} // namespace v2

} // namespace credence::http
