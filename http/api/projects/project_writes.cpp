#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/projects/listing_json.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/project_orders.hpp"
#include "http/api/replies.hpp"
#include "http/api/reviews/record_subject.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::v2 {

namespace {

/// Answers with the project as it is now.
void show(call& c, project_id which) {
  listing::get_listing question;
  question.project = which;
  c.ask(c.to().listings, std::move(question),
        [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); });
}

/// Asks the keeper, then shows the project; one that is only tried has nothing to show.
template <class Question>
void change(call& c, Question question) {
  if (question.dry_run)
    return c.ask(c.to().records, std::move(question), [](call& later, project_id&) { reply_ok(later); });
  c.ask(c.to().records, std::move(question), [](call& later, project_id& which) { show(later, which); });
}

void archive_project(call& c, bool archived) {
  parameters given{c.query()};
  const reputation::archive_project question{given.path_id<project_id>("projectId", c.path_part("projectId")), archived,
                                             read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  change(c, question);
}

} // namespace

void create_project(call& c, void (*made)(call&, project_id)) {
  auto order = read_project_order(c);
  if (!order)
    co_return c.refuse(order.why());
  people::bundle_ptr who;
  if (!names_itself(order->whose)) {
    people::get_bundle look{order->whose};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
  }
  auto subject = record_subject_of(order->whose, who.get());
  if (!subject)
    co_return c.refuse(subject.why());
  order->question.userkey = userkey_of(*subject);
  order->question.subject = *std::move(subject);
  c.ask(c.to().records, std::move(order->question), [made](call& later, project_id& which) { made(later, which); });
}

void create_project(call& c) {
  create_project(c, [](call& later, project_id made) { made ? show(later, made) : reply_ok(later); });
}

void replay_create_project(call& c, const idempotency::found_record& done) {
  show(c, project_id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

void edit_project(call& c) {
  auto edit = read_project_edit(c);
  if (!edit)
    return c.refuse(edit.why());
  change(c, *std::move(edit));
}

void archive_project(call& c) { archive_project(c, true); }
void restore_project(call& c) { archive_project(c, false); }
void replay_change_project(call& c, const idempotency::found_record&) { get_project(c); }

} // namespace credence::http::v2
