#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/address.hpp"
#include "http/api/people/people_json.hpp"
#include "http/api/profiles/operations.hpp"
#include "http/api/profiles/profile_orders.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/idempotency.hpp"
#include "http/call/identity.hpp"

namespace credence::http::v2 {

namespace {

using people::lookup_key;

/// Answers with everything about the person behind a profile, as it is now.
void show(call& c, profile_id which) {
  c.ask(c.to().people, people::get_bundle{{.how = lookup_key::form::profile, .number = which.value}},
        [](call& later, people::bundle_of& came) {
          if (!came.found)
            return later.fail(failure::unavailable); // it was there a moment ago
          later.cards().begin(user_cards::pass::first, later.now());
          json_writer to{later.out()};
          encode(to, *came.found, later.cards());
          later.reply();
        });
}

/// Asks the keeper, then shows the person; one that is only tried has nothing to show.
template <class Question>
void change(call& c, Question question) {
  if (question.dry_run)
    return c.ask(c.to().records, std::move(question), [](call& later, profile_id&) { reply_ok(later); });
  c.ask(c.to().records, std::move(question), [](call& later, profile_id& which) { show(later, which); });
}

void archive_profile(call& c, bool archived) {
  parameters given{c.query()};
  const reputation::archive_profile question{given.path_id<profile_id>("id", c.path_part("id")), c.caller()->profile,
                                             c.caller()->admin_by_token(), archived, read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  change(c, question);
}

} // namespace

void create_profile(call& c) {
  auto order = read_profile_order(c, c.caller() && c.caller()->admin_by_token());
  if (!order)
    co_return c.refuse(order.why());
  std::string whose;
  std::optional<profile_id> by; // nobody yet, where a wallet asks for its profile
  if (order->claim) {
    const auto account = order->claim->account;
    recover_signer look{order->claim->message, order->claim->signature};
    const auto signer = co_await c.ask(c.to().signatures, std::move(look));
    if (!(signer == account))
      co_return c.refuse(not_signed_by(account));
    whose = lower_text(account);
  } else {
    by = c.caller()->profile;
    whose = std::to_string(by->value);
  }
  if (!order->question.dry_run)
    co_await first_time(c, whose, by, &replay_change_profile);
  change(c, std::move(order->question));
}

void edit_own_profile(call& c) {
  auto edit = read_profile_edit(c);
  if (!edit)
    return c.refuse(edit.why());
  change(c, *std::move(edit));
}

void archive_profile(call& c) { archive_profile(c, true); }
void restore_profile(call& c) { archive_profile(c, false); }

void link_address(call& c) {
  auto order = read_link_order(c);
  if (!order)
    co_return c.refuse(order.why());
  const auto account = order->claim.account;
  recover_signer look{order->claim.message, order->claim.signature};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  change(c, std::move(order->question));
}

void unlink_address(call& c) {
  const auto question = read_unlink(c);
  if (!question)
    return c.refuse(question.why());
  change(c, *question);
}

void replay_change_profile(call& c, const idempotency::found_record& done) {
  show(c, profile_id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

} // namespace credence::http::v2
