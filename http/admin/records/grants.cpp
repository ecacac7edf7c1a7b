#include "actors/profile/profile_actor.hpp"
#include "config/limits.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/records/confirmed.hpp"
#include "http/api/people/if_live.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::admin {

namespace {

outcome<profile::grant_xp> read_grant(const call& c) {
  parameters given{c.query()};
  profile::grant_xp out;
  out.profile = given.path_id<profile_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return given.why();
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto amount = body->integer("amount");
  if (body->good() && (!amount || *amount < 1 || *amount > limits::xp_grant_max))
    body->issue("amount must be from 1 to " + std::to_string(limits::xp_grant_max) + " XP"
                + (amount ? ", not " + std::to_string(*amount) : ""));
  out.amount = amount.value_or(0);
  out.reason = read_words(*body, "reason", 1, limits::grant_reason_length_max);
  read_confirmation(*body, out.profile);
  return checked(given, *body, std::move(out));
}

void reply_granted(call& c, profile::grant_receipt& done) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("xp", done.balance);
  to.end_object();
  c.reply();
}

void grant(call& c, profile::grant_xp order) { c.ask(c.to().profiles, std::move(order), &reply_granted); }

} // namespace

void grant_xp(call& c) {
  auto order = read_grant(c);
  if (!order)
    return c.refuse(order.why());
  const auto who = order->profile;
  if_live(c, who, *std::move(order), &grant);
}

void replay_grant_xp(call& c, const idempotency::found_record& done) {
  auto order = read_grant(c);
  if (!order)
    return c.refuse(order.why());
  c.ask(c.to().profiles, profile::get_grant{order->profile, parse_integer(done.effect).value_or(0)}, &reply_granted);
}

} // namespace credence::http::admin
