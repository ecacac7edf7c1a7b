#include "actors/console/office.hpp"
#include "actors/funds/funds_actor.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/people/people_actor.hpp"
#include "auth/address.hpp"
#include "http/admin/json.hpp"
#include "http/admin/page.hpp"
#include "http/admin/records/confirmed.hpp"
#include "http/admin/records/handlers.hpp"
#include "http/api/markets/orders.hpp"
#include "http/api/people/if_live.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

namespace credence::http::admin {

namespace {

using people::lookup_key;
using form = lookup_key::form;

void write_row(json_writer& to, const people::user& who) {
  to.begin_object();
  to.field("profileId", who.profile);
  to.field("userId", who.id);
  to.field("username", who.username);
  to.field("displayName", who.display_name);
  to.field("score", who.score);
  to.end_object();
}

void reply_rows(call& c, const std::vector<people::user_ptr>& found, std::int64_t total) {
  json_writer to{c.out()};
  write_values(
    to, found, [&](const people::user_ptr& each) { write_row(to, *each); }, [&] { to.field("total", total); });
  c.reply();
}

/// Whom the text names by itself: an address, or the id of a profile.
std::optional<lookup_key> named_by(const std::string& text) {
  if (const auto number = parse_integer(text); number && *number >= 1 && *number <= limits::id_max)
    return lookup_key{.how = form::profile, .number = static_cast<std::int32_t>(*number)};
  if (auto key = parse_address_key(text))
    return *std::move(key);
  return std::nullopt;
}

struct person {
  people::bundle_ptr who;
  bool api_access = false;
  std::optional<funds::funds_view> balance;
};

void write_person(json_writer& to, const person& of) {
  const auto& user = *of.who->user;
  const auto& profile = of.who->profile;
  to.begin_object();
  to.field("userId", user.id);
  to.field("profileId", user.profile);
  to.field("username", user.username);
  to.field("displayName", user.display_name);
  to.field("score", user.score);
  to.field("xp", user.xp_total);
  to.key("addresses");
  to.begin_array();
  for (const auto& each : of.who->addresses)
    to.value(auth::checksummed_text(each.address));
  to.end_array();
  to.field("archived", profile ? std::optional{profile->archived} : std::nullopt);
  to.field("apiAccess", of.api_access);
  to.key("balance");
  if (of.balance) {
    to.begin_object();
    to.field("wei", decimal(of.balance->balance));
    to.field("availableWei", decimal(of.balance->available));
    to.end_object();
  } else
    to.null();
  to.field("createdAt", profile ? std::optional{ms_of(profile->created_at)} : std::nullopt);
  to.end_object();
}

refusal no_profile(profile_id which) {
  return {refusal_code::not_found, "there is no profile " + std::to_string(which.value)};
}

/// The transfer that a credit is; its body names the profile once more, typed.
outcome<funds::move_funds> read_credit(const call& c) {
  parameters given{c.query()};
  const auto who = given.path_id<profile_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return given.why();
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  auto amount = v2::read_wei(*body, "amountWei");
  if (body->good() && (!amount || *amount == 0))
    body->issue("amountWei must be a positive number of wei, as a decimal string");
  read_confirmation(*body, who);
  if (!body->good())
    return body->why();
  return funds::move_funds{who, funds::flow::deposit, *std::move(amount), "console"};
}

void reply_credited(call& c, funds::transfer_receipt& done) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("balanceWei", decimal(done.balance));
  to.end_object();
  c.reply();
}

void credit(call& c, funds::move_funds order) { c.ask(c.to().funds, std::move(order), &reply_credited); }

} // namespace

void get_people(call& c) {
  parameters given{c.query()};
  const auto text = read_query(given);
  const auto limit = read_limit(given);
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  if (text.empty())
    return reply_rows(c, {}, 0);
  if (auto key = named_by(text))
    return c.ask(c.to().people, people::get_people{{*std::move(key)}}, [](call& later, people::people_by_key& came) {
      std::erase(came.users, nullptr);
      reply_rows(later, came.users, static_cast<std::int64_t>(came.users.size()));
    });
  people::search_people question;
  question.text = text;
  question.slice = {limit, 0};
  c.ask(c.to().people, std::move(question),
        [](call& later, people::people_page& came) { reply_rows(later, came.users, came.total); });
}

void get_person(call& c) {
  parameters given{c.query()};
  const auto which = given.path_id<profile_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    co_return c.refuse(given.why());
  people::get_bundle look{{.how = form::profile, .number = which.value}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  person found{came.found, false, std::nullopt};
  if (!found.who)
    co_return c.refuse(no_profile(which));
  const oversight::get_standing standing_question{which};
  const auto standing = co_await c.ask(c.to().oversight, standing_question);
  found.api_access = standing.api_access;
  const funds::get_funds funds_question{which};
  const auto balance = co_await c.try_ask(c.to().funds, funds_question);
  if (balance && *balance)
    found.balance = **balance;
  json_writer to{c.out()};
  write_person(to, found);
  c.reply();
}

void put_api_access(call& c) {
  parameters given{c.query()};
  console::set_api_access order;
  order.profile = given.path_id<profile_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return c.refuse(given.why());
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto allowed = body->boolean("allowed");
  if (!allowed && body->good())
    body->issue("allowed is required: true or false");
  if (!body->good())
    return c.refuse(body->why());
  order.allowed = *allowed;
  order.at = c.now();
  order.from = c.context()->from();
  c.ask(c.to().office, std::move(order), [](call& later, console::kept&) { reply_ok(later); });
}

void post_credit(call& c) {
  auto order = read_credit(c);
  if (!order)
    return c.refuse(order.why());
  const auto who = order->profile;
  if_live(c, who, *std::move(order), &credit);
}

void replay_credit(call& c, const idempotency::found_record& done) {
  auto order = read_credit(c);
  if (!order)
    return c.refuse(order.why());
  c.ask(c.to().funds, funds::get_transfer{order->profile, parse_integer(done.effect).value_or(0)}, &reply_credited);
}

} // namespace credence::http::admin
