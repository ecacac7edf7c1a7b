#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/profile/xp_types.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/api/tips/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

namespace credence::http {

namespace {

void encode_source(json_writer& to, const std::optional<profile::tip_source>& source) {
  to.object_or_null("source", source, [&](const profile::tip_source& of) {
    to.field("type", profile::tip_source_names[static_cast<std::size_t>(of.kind)]);
    to.field_if("id", of.id);
  });
}

void encode_side(json_writer& to, json_name name, std::int64_t count, std::int64_t total) {
  to.object(name, [&] {
    to.field("count", count);
    to.field("total", total);
  });
}

} // namespace

/// `{tipId, senderNewBalance, receiverNewBalance?}`.
static void encode_members(json_writer& to, const profile::tip_receipt& receipt) {
  to.field("tipId", receipt.id);
  to.field("senderNewBalance", receipt.sender_balance);
  to.field("receiverNewBalance", receipt.receiver_balance);
}

/// A page of `{id, amount, createdAt, message, senderProfileId, receiverUserId, source}`.
static void encode(json_writer& to, const profile::tip_list& list) {
  encode_page(to, list.values, list.total, list.slice, [&](const auto& each) {
    to.begin_object();
    to.field("id", each.id);
    to.field("amount", each.amount);
    to.field("createdAt", each.at);
    to.field("message", each.message);
    to.field("senderProfileId", each.sender);
    to.field("receiverUserId", each.receiver);
    encode_source(to, each.source);
    to.end_object();
  });
}

/// `{sent: {count, total}, received: {count, total}, totalSent, totalReceived}`.
static void encode_members(json_writer& to, const profile::tip_figures& figures) {
  encode_side(to, "sent", figures.sent_count, figures.sent_total);
  encode_side(to, "received", figures.received_count, figures.received_total);
  to.field("totalSent", figures.sent_total);
  to.field("totalReceived", figures.received_total);
}

namespace v2 {

namespace {

using status = people::people_index::status;
using tip_page = reputation::list_tips::answer_type;

/// A tip on its way to being asked for: who gets it is looked up first.
struct tip_order {
  profile::send_tip tip;
  people::lookup_key receiver;
};

refusal nobody(std::string_view detail) { return {refusal_code::receiver_not_found, std::string{detail}}; }

std::optional<profile::tip_source> read_source(json_body& body) {
  if (!body.has("source"))
    return std::nullopt;
  const auto type = body.text("source.type");
  const auto id = body.integer("source.id");
  if (id && (*id < 1 || *id > limits::id_max))
    body.issue("source.id must be from 1 to " + std::to_string(limits::id_max));
  for (std::size_t i = 0; type && i < profile::tip_source_names.size(); ++i)
    if (*type == profile::tip_source_names[i])
      return profile::tip_source{static_cast<profile::tip_source_kind>(i),
                                 id ? std::optional{static_cast<std::int32_t>(*id)} : std::nullopt};
  body.issue("source must be {\"type\", \"id\"?} with a type of profile, review, slash or vouch");
  return std::nullopt;
}

/// Reads the body; refuses what does not say how much goes to whom.
outcome<tip_order> read_tip(call& c) {
  const bool dry_run = read_dry_run(c.given());
  auto& body = c.json();
  const auto amount_kind = body.kind_of("amount");
  if (amount_kind != json_body::kind::integer || *body.integer("amount") <= 0)
    return refusal{refusal_code::invalid_amount, amount_kind == json_body::kind::absent
                                                   ? "amount is required: a positive integer of XP"
                                                   : "amount must be a positive integer of XP"};
  tip_order out;
  out.tip.sender = c.caller()->profile;
  out.tip.dry_run = dry_run;
  out.tip.amount = *body.integer("amount");
  const auto receiver = body.text("receiverUserkey");
  if (!receiver && body.good())
    body.issue("receiverUserkey is required, such as profileId:7 or address:0x…");
  out.tip.message = read_words_if_any(body, "message", 0, limits::tip_message_length_max);
  out.tip.source = read_source(body);
  auto key = parse_userkey(receiver.value_or(""));
  if (!key)
    return key.why();
  out.receiver = *std::move(key);
  return out;
}

} // namespace

void send_tip(call& c) {
  auto order = c.value_of(read_tip(c));
  auto& tip = order.tip;
  const bool by_profile = order.receiver.how == people::lookup_key::form::profile;
  const auto known = by_profile ? c.to().people_known->status_of(profile_id{order.receiver.number}) : status::unknown;
  if (known == status::live || known == status::archived)
    tip.receiver = profile_id{order.receiver.number};
  else {
    people::find_people look{{std::move(order.receiver)}};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    const auto& found = came.people.front();
    if (!found)
      co_return c.refuse(nobody("no user matches receiverUserkey"));
    if (!found.profile)
      co_return c.refuse(
        nobody("the user that matches receiverUserkey has no profile, so there is nowhere to keep XP"));
    if (found.unsettled)
      co_return c.refuse(not_yet_settled("the receiver", found.unsettled));
    tip.receiver = *found.profile;
  }
  const auto sender = tip.sender;
  if_live(c, sender, std::move(tip), &write_by<&directory::profiles>);
}

void replay_send_tip(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  c.ask(c.to().profiles, profile::get_receipt{c.caller()->profile, number}, &reply_with<profile::tip_receipt>);
}

namespace {

void list_own_tips(call& c, profile::tip_side side) {
  const auto slice = read_page(c.given());
  c.ask(c.to().profiles, profile::get_tips{c.caller()->profile, side, slice}, &reply_with<profile::tip_list>);
}

} // namespace

void list_tips_sent(call& c) { list_own_tips(c, profile::tip_side::sent); }
void list_tips_received(call& c) { list_own_tips(c, profile::tip_side::received); }

void list_tips(call& c) {
  const auto slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, reputation::list_tips{slice}, [](call& later, tip_page& found) {
    reply_page(later, found, [&](json_writer& to, user_cards& cards, const reputation::listed_tip& row) {
      to.begin_object();
      to.field("id", row.id);
      encode_named(to, "sender", cards, found.users, row.sender);
      encode_named(to, "receiver", cards, found.users, row.receiver);
      to.field("amount", row.amount);
      to.field("createdAt", row.at);
      to.end_object();
    });
  });
}

void get_tip_stats(call& c) {
  auto key = read_userkey_if_any(c.given());
  ask_about(c, std::move(key), [](call& asking, profile_id whose) {
    if (whose == profile_id{}) {
      profile::tip_figures none;
      return reply_with(asking, none);
    }
    asking.ask(asking.to().profiles, profile::get_tip_figures{whose}, &reply_with<profile::tip_figures>);
  });
}

} // namespace v2

} // namespace credence::http
