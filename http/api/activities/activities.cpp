#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/activity_json.hpp"
#include "http/api/activities/feed_questions.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/activities/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/list_body.hpp"

namespace credence::http::v2 {

namespace {

using reputation::feed_page;
using reputation::feed_side;

void reply_feed(call& c, feed_page& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::feed_row& row) {
    encode_activity(to, cards, row, found.users, c.settings().public_url);
  });
}

void reply_rows(call& c, feed_page& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_array();
    for (const auto& row : found.rows)
      encode_activity(to, cards, row, found.users, c.settings().public_url);
    to.end_array();
  });
}

void reply_row(call& c, feed_page& found) {
  if (found.rows.empty())
    return c.refuse({refusal_code::not_found, "there is no such activity"});
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    encode_activity(to, cards, found.rows.front(), found.users, c.settings().public_url);
  });
}

/// The feed of whom a key leads to, read by `read` and answered by `reply`.
void feed_by_key(call& c, outcome<feed_order> (*read)(const call&), void (*reply)(call&, feed_page&)) {
  auto order = read(c);
  if (!order)
    co_return c.refuse(order.why());
  people::find_people look{{order->whose}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto found = came.people.front();
  if (!found)
    co_return c.refuse({refusal_code::not_found, "no user matches userkey"});
  order->feed.whose = found.user;
  c.ask(c.to().records, std::move(order->feed), reply);
}

template <feed_side Side>
outcome<feed_order> read_side(const call& c) {
  return read_feed(c, Side);
}

} // namespace

void get_activity(call& c) {
  auto question = read_feed_key(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *std::move(question), &reply_row);
}

void list_activities_of_userkey(call& c) { feed_by_key(c, &read_feed_query, &reply_rows); }
void list_activities_of_user(call& c) { feed_by_key(c, &read_side<feed_side::both>, &reply_feed); }
void list_activities_by_user(call& c) { feed_by_key(c, &read_side<feed_side::given>, &reply_feed); }
void list_activities_about_user(call& c) { feed_by_key(c, &read_side<feed_side::received>, &reply_feed); }

void list_activities(call& c) {
  auto order = read_feed(c, feed_side::everybody);
  if (!order)
    return c.refuse(order.why());
  c.ask(c.to().records, std::move(order->feed), &reply_feed);
}

void get_activities(call& c) {
  auto question = read_feed_keys(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *std::move(question), &reply_rows);
}

void list_activities_about_project(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    co_return c.refuse(body.why());
  listing::get_listing which;
  which.project = project_id{read_integer_if_any(*body, "projectId", 1, limits::id_max).value_or(0)};
  if (body->good() && !*which.project)
    body->issue("projectId is required: the id of a project");
  if (!body->good())
    co_return c.refuse(body->why());
  auto order = read_feed(c, feed_side::everybody, "projectId");
  if (!order)
    co_return c.refuse(order.why());
  const auto found = co_await c.ask(c.to().listings, std::move(which));
  order->feed.side = feed_side::received;
  order->feed.whose = found.core->user->id;
  c.ask(c.to().records, std::move(order->feed), &reply_feed);
}

void list_activities_about_me(call& c) {
  auto order = read_feed(c, feed_side::everybody);
  if (!order)
    co_return c.refuse(order.why());
  people::find_people look{{{.how = people::lookup_key::form::profile, .number = c.caller()->profile.value}}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  order->feed.side = feed_side::received;
  order->feed.whose = came.people.front().user;
  c.ask(c.to().records, std::move(order->feed), &reply_feed);
}

void get_activity_of_transaction(call& c) {
  const auto why = read_feed_transaction(c);
  c.refuse(why);
}

} // namespace credence::http::v2
