#include "http/api/projects/handlers.hpp"
#include "http/api/projects/listing_json.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/userkey.hpp"

namespace credence::http::v2 {

namespace {

template <class Answer>
Answer take_kept(call& c) {
  return std::any_cast<Answer>(std::move(c.kept()));
}

void on_own_votes(call& c, std::vector<profile::own_vote>& own) {
  auto answer = take_kept<listings_answer>(c);
  answer.own = std::move(own);
  reply_with_users(c, std::move(answer));
}

/// The listings are public: a caller who may not vote still sees them.
void without_own_votes(call& c, const refusal&) {
  auto answer = take_kept<listings_answer>(c);
  answer.own.emplace();
  reply_with_users(c, std::move(answer));
}

void on_listings(call& c, listing::listings_page& found) {
  auto answer = take_kept<listings_answer>(c);
  answer.found = std::move(found);
  const bool named = answer.named && !answer.found.of_somebody;
  if (!named && !c.caller())
    return reply_with_users(c, std::move(answer));
  const profile::get_own_votes question{named ? *answer.named : c.caller()->profile, answer.found.in.id};
  c.kept() = std::move(answer);
  c.ask(c.to().profiles, question, &on_own_votes, &without_own_votes);
}

/// A page whose listings depend on whom a userkey leads to.
struct page_by_key {
  listing::get_listings question;
  listings_answer answer;
};

void on_owner(call& c, people::found_people& came) {
  auto page = std::any_cast<page_by_key>(std::move(c.kept()));
  const auto& who = came.people.front();
  page.question.owner->user = who.user;
  page.answer.named = who.profile;
  c.kept() = std::move(page.answer);
  c.ask(c.to().listings, std::move(page.question), &on_listings);
}

void on_own_balance(call& c, profile::balance_view& own) {
  auto answer = take_kept<listing_answer>(c);
  answer.own = own;
  reply_with_users(c, std::move(answer));
}

void without_own_balance(call& c, const refusal&) {
  reply_with_users(c, take_kept<listing_answer>(c));
}

void on_listing(call& c, listing::listed& found) {
  auto answer = take_kept<listing_answer>(c);
  answer.found = std::move(found);
  if (!c.caller())
    return reply_with_users(c, std::move(answer));
  const profile::get_balance question{c.caller()->profile, answer.found.core->id, answer.in};
  c.kept() = std::move(answer);
  c.ask(c.to().profiles, question, &on_own_balance, &without_own_balance);
}

/// A name without a listing is an answer, not an error: `null`.
void on_no_listing(call& c, const refusal& why) {
  if (why.code != refusal_code::not_found)
    return c.refuse(why);
  json_writer{c.out()}.null();
  c.reply();
}

} // namespace

void get_listings(call& c) {
  parameters given{c.query()};
  auto question = read_listings(given);
  if (!given.good())
    return c.refuse(given.why());
  listings_answer answer;
  answer.with_sparkline = question.sparkline_days > 0;
  answer.with_deltas = !question.delta_days.empty();
  if (!question.owner) {
    c.kept() = std::move(answer);
    return c.ask(c.to().listings, std::move(question), &on_listings);
  }
  auto key = parse_userkey(question.owner->userkey);
  if (!key)
    return c.refuse({refusal_code::invalid_input, "userkey: " + key.why().detail});
  c.kept() = page_by_key{std::move(question), std::move(answer)};
  c.ask(c.to().people, people::find_people{{*std::move(key)}}, &on_owner);
}

void get_listing(call& c) {
  parameters given{c.query()};
  auto question = read_listing(given, c.path_part("username"));
  if (!given.good())
    return c.refuse(given.why());
  listing_answer answer;
  answer.in = question.in;
  c.kept() = std::move(answer);
  c.ask(c.to().listings, std::move(question), &on_listing, &on_no_listing);
}

} // namespace credence::http::v2
