#include "actors/people/people_actor.hpp"
#include "actors/score/score_actor.hpp"
#include "http/api/score/operations.hpp"
#include "http/api/score/score_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_numbers.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <array>
#include <string>

namespace credence::http::v1 {

namespace {

constexpr std::size_t reviews_max = 1000;
constexpr std::size_t slashes_max = 100;
constexpr std::int64_t count_max = 1'000'000; // of vouchers, of votes of a kind, of ether, of points
constexpr std::int64_t days_max = 10'000;
constexpr std::int64_t billion = 1'000'000'000;

constexpr std::array<std::string_view, 3> sentiment_names{"negative", "neutral", "positive"};
constexpr std::array<std::string_view, 2> slash_names{"SOCIAL", "FINANCIAL"};

/// A whole number from 0 to `most`.
std::int64_t read_count(json_body& body, const std::string& name, std::int64_t most, std::int64_t otherwise = 0) {
  const auto found = body.integer(name);
  if (found && (*found < 0 || *found > most))
    body.issue(name + " must be from 0 to " + std::to_string(most) + ", not " + std::to_string(*found));
  return found.value_or(otherwise);
}

void read_reviews(json_body& body, score::assumed_records& to) {
  const auto count = body.objects("reviews", reviews_max).value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = "reviews." + std::to_string(i);
    const auto how = static_cast<score::sentiment>(read_one_of(body, place + ".score", sentiment_names));
    to.reviews.push_back({how, static_cast<std::int32_t>(
                                 read_count(body, place + ".authorScore", score::score_max, score::starting_score))});
  }
}

void read_votes(json_body& body, score::assumed_records& to) {
  if (!body.object("votes"))
    return;
  for (const std::string kind : {"votes.review", "votes.vouch"}) {
    if (!body.object(kind))
      continue;
    to.votes_up += read_count(body, kind + ".upvotes", count_max);
    to.votes_down += read_count(body, kind + ".downvotes", count_max);
  }
}

void read_slashes(json_body& body, score::assumed_records& to) {
  const auto count = body.objects("slashes", slashes_max).value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = "slashes." + std::to_string(i);
    const bool social = read_one_of(body, place + ".type", slash_names) == 0;
    const auto amount = read_count(body, place + ".amount", count_max);
    to.slashed += social ? amount : 0;
  }
}

score::assumed_records read_records(json_body& body) {
  score::assumed_records out;
  read_reviews(body, out);
  const auto ether = read_billionths(body, "vouchAmount").value_or(0);
  if (ether < 0 || ether > count_max * billion)
    body.issue("vouchAmount must be from 0 to " + std::to_string(count_max));
  else
    out.ether = wei{ether} * wei{billion};
  out.vouched = std::chrono::days{read_count(body, "vouchedDays", days_max)};
  out.vouchers = read_count(body, "numberOfVouchers", count_max);
  read_votes(body, out);
  read_slashes(body, out);
  return out;
}

void reply_assumed(call& c, user_id whose, score::assumed_records records) {
  const score::assume_score question{whose, std::move(records)};
  c.ask(c.to().scores, question, [](call& later, score::breakdown& found) {
    json_writer to{later.out()};
    encode(to, found);
    later.reply();
  });
}

} // namespace

void simulate_score(call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    co_return c.refuse(body.why());
  auto records = read_records(*body);
  const auto text = body->text("userkey");
  auto key = text ? parse_userkey(*text) : outcome<people::lookup_key>{people::lookup_key{}};
  if (!body->good())
    co_return c.refuse(body->why());
  if (!key)
    co_return c.refuse(key.why());
  if (!text)
    co_return reply_assumed(c, user_id{}, std::move(records));
  people::find_people look{{*std::move(key)}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  reply_assumed(c, came.people.front().user, std::move(records));
}

} // namespace credence::http::v1
