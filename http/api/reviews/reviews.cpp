#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/replies.hpp"
#include "http/api/reviews/operations.hpp"
#include "http/api/reviews/record_subject.hpp"
#include "http/api/reviews/review_body.hpp"
#include "http/api/reviews/review_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::v2 {

namespace {

using reputation::review_record;

/// A review on its way: whom it is about may have to be looked up first.
struct review_order {
  reputation::create_review review;
  people::lookup_key subject;
};

outcome<review_order> read_review(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  review_order out;
  auto& review = out.review;
  review.author = c.caller()->profile;
  review.dry_run = read_dry_run(given);
  out.subject = read_subject(*body);
  read_review_words(*body, review);
  return checked(given, *body, std::move(out));
}

outcome<reputation::edit_review> read_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::edit_review out;
  out.id = given.path_id<review_id>("id", c.path_part("id"));
  out.by = c.caller()->profile;
  out.dry_run = read_dry_run(given);
  out.comment = read_words_if_any(*body, "comment", 1, limits::review_comment_length_max);
  out.metadata = read_words_if_any(*body, "metadata", 0, limits::record_metadata_length_max);
  if (body->good() && !out.comment && !out.metadata)
    body->issue("comment or metadata is required");
  return checked(given, *body, std::move(out));
}

void archive_review(call& c, bool archived) {
  parameters given{c.query()};
  const auto& who = *c.caller();
  const reputation::archive_review question{given.path_id<review_id>("id", c.path_part("id")), who.profile,
                                            who.admin_by_token(), archived, read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, question, &reply_with<review_record>);
}

void show(call& c, review_id which) {
  c.ask(c.to().records, reputation::get_review{which}, &reply_with<review_record>);
}

} // namespace

void create_review(call& c) {
  auto order = read_review(c);
  if (!order)
    co_return c.refuse(order.why());
  people::bundle_ptr who;
  if (!names_itself(order->subject)) {
    people::get_bundle look{order->subject};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
  }
  auto subject = record_subject_of(order->subject, who.get());
  if (!subject)
    co_return c.refuse(subject.why());
  order->review.subject = *std::move(subject);
  c.ask(c.to().records, std::move(order->review), &reply_with<review_record>);
}

void replay_create_review(call& c, const idempotency::found_record& done) {
  show(c, review_id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

void get_review(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<review_id>("id", c.path_part("id"));
  if (!given.good())
    return c.refuse(given.why());
  show(c, id);
}

void edit_review(call& c) {
  auto edit = read_edit(c);
  if (!edit)
    return c.refuse(edit.why());
  c.ask(c.to().records, *std::move(edit), &reply_with<review_record>);
}

void archive_review(call& c) { archive_review(c, true); }
void restore_review(call& c) { archive_review(c, false); }
void replay_change_review(call& c, const idempotency::found_record&) { get_review(c); }

} // namespace credence::http::v2
