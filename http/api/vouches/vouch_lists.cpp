#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/vouches/operations.hpp"
#include "http/api/vouches/vouch_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/list_body.hpp"
#include "http/call/userkey.hpp"

#include <array>

namespace credence::http {

namespace {

using people::lookup_key;
using vouch_list = reputation::list_vouches::answer_type;
using user_list = reputation::list_mutual_vouchers::answer_type;

/// Vouches that are asked for; whom the keys lead to is found first.
struct vouch_query {
  reputation::list_vouches question;
  std::optional<std::vector<lookup_key>> subjects;
};

std::optional<std::vector<lookup_key>> read_subjects(json_body& body) {
  const auto profiles = read_ids_if_any<profile_id>(body, "subjectProfileIds", limits::bulk_records_max);
  const auto userkeys = body.texts("subjectUserkeys", limits::bulk_records_max);
  const auto addresses = body.texts("subjectAddresses", limits::bulk_records_max);
  if (!profiles && !userkeys && !addresses)
    return std::nullopt;
  std::vector<lookup_key> out;
  if (profiles)
    for (const auto who : *profiles)
      out.push_back({.how = lookup_key::form::profile, .number = who.value});
  if (userkeys)
    for (const auto text : *userkeys) {
      auto key = parse_userkey(text);
      if (key)
        out.push_back(*std::move(key));
      else
        body.issue("each item of subjectUserkeys must be a userkey: " + key.why().detail);
    }
  if (addresses)
    for (const auto text : *addresses) {
      auto key = parse_address_key(text);
      if (key)
        out.push_back(*std::move(key));
      else
        body.issue("each item of subjectAddresses: " + key.why().detail);
    }
  return out;
}

outcome<vouch_query> read_query(const call& c) {
  static constexpr std::array<std::string_view, 3> fields{"vouchedAt", "updatedAt", "balance"};
  auto body = json_body::parse_question(c.body());
  if (!body)
    return body.why();
  vouch_query out;
  auto& question = out.question;
  question.ids = read_ids_if_any<vouch_id>(*body, "ids", limits::bulk_records_max);
  question.authors = read_ids_if_any<profile_id>(*body, "authorProfileIds", limits::bulk_records_max);
  out.subjects = read_subjects(*body);
  question.archived = body->boolean("archived");
  if (const auto at = read_one_of_if_any(*body, "contract", reputation::vouch_contract_names))
    question.contract = static_cast<reputation::vouch_contract>(*at);
  const auto order = read_order(*body, fields);
  question.order = static_cast<reputation::vouch_order>(order.field);
  question.ascending = order.ascending;
  question.slice = read_list_page(*body, limits::limit_max);
  if (!body->good())
    return body->why();
  return out;
}

void encode_row(json_writer& to, user_cards& cards, const reputation::named_users& users,
                const reputation::listed_vouch& row, const char* unit) {
  to.begin_object();
  encode_members(to, row.record, unit);
  to.field("mutualId", row.mutual);
  to.key("authorUser");
  encode_named(to, cards, users, row.author);
  to.key("subjectUser");
  encode_named(to, cards, users, row.record.subject_user);
  to.end_object();
}

void reply_vouches(call& c, vouch_list& found) {
  reply_page(c, found,
             [&](json_writer& to, user_cards& cards, const auto& row) { encode_row(to, cards, found.users, row, ""); });
}

/// The page inside of what version 1 wraps every success in.
void reply_vouches_v1(call& c, vouch_list& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_object();
    to.field("ok", true);
    to.key("data");
    to.begin_object();
    encode_page(to, found.rows, found.total, found.slice,
                [&](const auto& row) { encode_row(to, cards, found.users, row, "n"); });
    to.end_object();
    to.end_object();
  });
}

void query(call& c, void (*reply)(call&, vouch_list&)) {
  auto order = read_query(c);
  if (!order)
    co_return c.refuse(order.why());
  if (order->subjects) {
    people::find_people look{*std::move(order->subjects)};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    std::vector<user_id> users;
    for (const auto& each : came.people)
      if (each)
        users.push_back(each.user);
    order->question.subjects = std::move(users);
  }
  c.ask(c.to().records, std::move(order->question), reply);
}

/// A userkey, or a profile's id under its own name.
lookup_key read_person(parameters& given, std::string_view userkey, std::string_view profile) {
  if (!given.has(userkey))
    if (const auto id = given.id<profile_id>(profile))
      return {.how = lookup_key::form::profile, .number = id->value};
  return v2::read_key(given, userkey, &parse_userkey);
}

void reply_users(call& c, user_list& found) {
  reply_page(c, found,
             [&](json_writer& to, user_cards& cards, user_id who) { encode_named(to, cards, found.users, who); });
}

} // namespace

namespace v2 {

void list_vouches(call& c) { query(c, &reply_vouches); }

void list_mutual_vouchers(call& c) {
  parameters given{c.query()};
  people::find_people look;
  look.keys.push_back(read_person(given, "viewerUserkey", "viewerProfileId"));
  look.keys.push_back(read_person(given, "targetUserkey", "targetProfileId"));
  const auto slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    co_return c.refuse(given.why());
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto viewer = came.people.front();
  const auto target = came.people.back();
  if (!viewer || !target)
    co_return c.refuse(
      {refusal_code::not_found, viewer ? "no user matches targetUserkey" : "no user matches viewerUserkey"});
  c.ask(c.to().records, reputation::list_mutual_vouchers{viewer.user, target.user, slice}, &reply_users);
}

void get_vouch_fees(call& c) {
  json_writer to{c.out()};
  to.begin_object(); // nobody holds money here, so nobody takes a part of it
  to.field("entryProtocolFeeBasisPoints", 0);
  to.field("entryDonationFeeBasisPoints", 0);
  to.field("entryVouchersPoolFeeBasisPoints", 0);
  to.field("exitFeeBasisPoints", 0);
  to.end_object();
  c.reply();
}

} // namespace v2

namespace v1 {

void list_vouches(call& c) { query(c, &reply_vouches_v1); }

} // namespace v1

} // namespace credence::http
