#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/reviews/operations.hpp"
#include "http/api/reviews/review_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

namespace {

using reputation::reviews_between;

void reply_latest(call& c, reviews_between& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    if (!found.latest)
      return to.null();
    to.begin_object();
    encode_members(to, found.latest->record);
    to.key("authorUser");
    encode_named(to, cards, found.users, found.latest->author);
    to.key("subjectUser");
    encode_named(to, cards, found.users, found.subject);
    to.end_object();
  });
}

void reply_count(call& c, reviews_between& found) {
  json_writer{c.out()}.value(found.count);
  c.reply();
}

/// A userkey under either name that clients know it by.
people::lookup_key read_either(parameters& given, std::string_view name, std::string_view other) {
  return read_key(given, given.has(other) ? other : name, &parse_userkey);
}

/// What `authorUserKey` has written of `subjectUserKey`.
void between(call& c, void (*reply)(call&, reviews_between&)) {
  parameters given{c.query()};
  people::find_people look;
  look.keys.push_back(read_either(given, "authorUserKey", "authorUserkey"));
  look.keys.push_back(read_either(given, "subjectUserKey", "subjectUserkey"));
  if (!given.good())
    co_return c.refuse(given.why());
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto author = came.people.front();
  const auto subject = came.people.back();
  if (!author || !subject)
    co_return c.refuse(
      {refusal_code::not_found, author ? "no user matches subjectUserKey" : "no user matches authorUserKey"});
  c.ask(c.to().records, reputation::get_reviews_between{author.user, subject.user}, reply);
}

} // namespace

void get_latest_review_between(call& c) { between(c, &reply_latest); }
void count_reviews_between(call& c) { between(c, &reply_count); }

} // namespace credence::http::v2
