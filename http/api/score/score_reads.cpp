#include "actors/people/people_actor.hpp"
#include "actors/score/score_actor.hpp"
#include "config/list_limits.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/score/durations.hpp"
#include "http/api/score/operations.hpp"
#include "http/api/score/score_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/page_json.hpp"
#include "http/call/userkey.hpp"

#include <optional>

namespace credence::http {

namespace {

using people::lookup_key;

constexpr std::size_t duration_default = 2;

void reply_breakdown(call& c, const lookup_key& key) {
  people::find_people look{{key}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const score::get_breakdown question{came.people.front().user};
  const auto found = co_await c.ask(c.to().scores, question);
  json_writer to{c.out()};
  encode(to, found);
  c.reply();
}

/// The key in the parameter `userkey`; a refusal is answered.
std::optional<lookup_key> key_of(call& c) {
  parameters given{c.query()};
  auto key = v2::read_key(given, "userkey", &parse_userkey);
  if (given.good())
    return key;
  c.refuse(given.why());
  return std::nullopt;
}

void reply_status(call& c, const lookup_key& key) {
  people::find_people look{{key}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const score::get_progress question{came.people.front().user};
  const auto found = co_await c.ask(c.to().scores, question);
  json_writer to{c.out()};
  encode(to, found);
  c.reply();
}

void reply_history(call& c, const lookup_key& key, timestamp since) {
  people::find_people look{{key}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const score::get_history question{came.people.front().user, since};
  const auto found = co_await c.ask(c.to().scores, question);
  json_writer to{c.out()};
  encode(to, found);
  c.reply();
}

} // namespace

namespace v1 {

void get_score_breakdown(call& c) {
  const auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    return c.refuse(key.why());
  reply_breakdown(c, *key);
}

} // namespace v1

namespace v2 {

void get_score_breakdown(call& c) {
  if (const auto key = key_of(c))
    reply_breakdown(c, *key);
}

void get_score_status(call& c) {
  if (const auto key = key_of(c))
    reply_status(c, *key);
}

void list_score_history(call& c) {
  parameters given{c.query()};
  const auto key = read_key(given, "userkey", &parse_userkey);
  const auto duration = given.choice("duration", duration_names).value_or(duration_default);
  if (!given.good())
    return c.refuse(given.why());
  reply_history(c, key, start_of(duration, c.now()));
}

void list_score_updates(call& c) {
  parameters given{c.query()};
  const auto after = given.required("after", "a moment such as 2026-11-22T12:00:00Z",
                                    [&] { return given.moment("after", day_edge::start); });
  const auto until = given.moment("until", day_edge::end);
  const score::get_updates question{after.value_or(timestamp{}), read_page(given, limits::score_updates_limit_max),
                                    until};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().scores, question, [slice = question.slice](call& later, score::score_updates& found) {
    json_writer to{later.out()};
    to.begin_object();
    encode_page(to, found.users, found.total, slice, [&](const score::score_update& each) { encode(to, each); });
    to.end_object();
    later.reply();
  });
}

} // namespace v2

} // namespace credence::http
