#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "http/api/projects/listing_json.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

void get_listing_board(call& c) {
  parameters given{c.query()};
  auto question = read_listings(given);
  if (!given.good())
    co_return c.refuse(given.why());
  listings_answer answer;
  answer.with_sparkline = question.sparkline_days > 0;
  answer.with_deltas = !question.delta_days.empty();
  if (question.owner) {
    const auto key = parse_userkey(question.owner->userkey);
    if (!key)
      co_return c.refuse({refusal_code::invalid_input, "userkey: " + key.why().detail});
    people::find_people look{{*key}};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    const auto& who = came.people.front();
    question.owner->user = who.user;
    answer.named = who.profile;
  }
  auto found = co_await c.ask(c.to().listings, std::move(question));
  answer.found = std::move(found);
  const bool named = answer.named && !answer.found.of_somebody;
  if (named || c.caller()) {
    const profile::get_own_votes own{named ? *answer.named : c.caller()->profile, answer.found.in.id};
    auto votes = co_await c.outcome_of(c.to().profiles, own);
    answer.own.emplace(); // the listings are public: a caller who may not vote still sees them
    if (votes)
      answer.own = *std::move(votes);
  }
  reply_with_users(c, std::move(answer));
}

void get_listing(call& c) {
  parameters given{c.query()};
  auto question = read_listing(given, c.path_part("username"));
  if (!given.good())
    co_return c.refuse(given.why());
  listing_answer answer;
  answer.in = question.in;
  auto found = co_await c.outcome_of(c.to().listings, std::move(question));
  if (!found && found.why().code != refusal_code::not_found)
    co_return c.refuse(found.why());
  if (!found) { // a name without a listing is an answer, not an error
    json_writer{c.out()}.null();
    co_return c.reply();
  }
  answer.found = *std::move(found);
  if (c.caller()) {
    const profile::get_balance own{c.caller()->profile, answer.found.core->id, answer.in};
    const auto balance = co_await c.outcome_of(c.to().profiles, own);
    if (balance)
      answer.own = *balance;
  }
  reply_with_users(c, std::move(answer));
}

} // namespace credence::http::v2
