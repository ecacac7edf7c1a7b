#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/replies.hpp"
#include "http/api/reviews/record_subject.hpp"
#include "http/api/vouches/operations.hpp"
#include "http/api/vouches/vouch_body.hpp"
#include "http/api/vouches/vouch_json.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"

namespace credence::http::v2 {

namespace {

using reputation::vouch_record;

/// A vouch on its way: whom it is for is looked up first.
struct vouch_order {
  reputation::create_vouch vouch;
  people::lookup_key subject;
};

constexpr std::array<std::string_view, 3> units{"points", "eth", "whuf"};
constexpr std::size_t points = 0;
constexpr std::size_t whuf = 2;

struct amount {
  wei value = 0;
  reputation::vouch_token token{};
};

/// `amount` in `unit`: points (as a rule), or wei of a token as an integer or a decimal text.
amount read_amount(json_body& body) {
  const auto kind = body.kind_of("unit");
  const bool named = kind != json_body::kind::absent && kind != json_body::kind::null;
  const auto unit = named ? read_one_of(body, "unit", units) : points;
  std::optional<wei> found;
  if (body.kind_of("amount") == json_body::kind::text)
    found = parse_bigint(*body.text("amount"));
  else if (body.kind_of("amount") == json_body::kind::integer && *body.integer("amount") > 0)
    found = wei{*body.integer("amount")};
  if (!found || *found == 0
      || *found > (unit == points ? transfer_wei_max / reputation::wei_per_point : transfer_wei_max)) {
    body.issue(
      "amount must be a positive integer, or one as text: points, or wei with unit 'eth' or 'whuf', up to 10^36 wei");
    return {};
  }
  if (unit == points)
    *found *= reputation::wei_per_point;
  return {*found, unit == whuf ? reputation::vouch_token::whuf : reputation::vouch_token::eth};
}

outcome<vouch_order> read_vouch(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  vouch_order out;
  auto& vouch = out.vouch;
  vouch.author = c.caller()->profile;
  vouch.dry_run = read_dry_run(given);
  out.subject = read_subject(*body);
  const auto found = read_amount(*body);
  vouch.amount = found.value;
  vouch.token = found.token;
  read_vouch_words(*body, vouch);
  return checked(given, *body, std::move(out));
}

/// What one vouch for a person is about: the profile, where there is one.
outcome<reputation::named_subject> vouched_for(const people::lookup_key& key, const people::user_bundle* who) {
  if (who && who->profile)
    return reputation::named_subject{reputation::subject_key{who->profile->id}, std::nullopt};
  return record_subject_of(key, who);
}

/// Changes the vouch in the path by an amount.
void move(call& c, reputation::vouch_move way) {
  parameters given{c.query()};
  reputation::move_vouch out;
  out.id = given.path_id<vouch_id>("id", c.path_part("id"));
  out.by = c.caller()->profile;
  out.way = way;
  out.dry_run = read_dry_run(given);
  auto body = json_body::parse(c.body());
  if (!body)
    return c.refuse(body.why());
  const auto found = read_amount(*body);
  out.amount = found.value;
  out.token = found.token;
  const auto question = checked(given, *body, std::move(out));
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *question, &reply_with<vouch_record>);
}

void show(call& c, vouch_id which) { c.ask(c.to().records, reputation::get_vouch{which}, &reply_with<vouch_record>); }

} // namespace

void create_vouch(call& c) {
  auto order = read_vouch(c);
  if (!order)
    co_return c.refuse(order.why());
  people::get_bundle look{order->subject};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  auto subject = vouched_for(order->subject, came.found.get());
  if (!subject)
    co_return c.refuse(subject.why());
  order->vouch.subject = *std::move(subject);
  c.ask(c.to().records, std::move(order->vouch), &reply_with<vouch_record>);
}

void replay_create_vouch(call& c, const idempotency::found_record& done) {
  show(c, vouch_id{static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))});
}

void get_vouch(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<vouch_id>("id", c.path_part("id"));
  if (!given.good())
    co_return c.refuse(given.why());
  const reputation::get_vouch question{id};
  const auto found = co_await c.ask(c.to().records, question);
  reputation::list_vouches listed; // tells the one in the other direction
  listed.ids = {id};
  listed.contract = found.contract;
  listed.slice = {1, 0};
  const auto rows = co_await c.ask(c.to().records, std::move(listed));
  json_writer to{c.out()};
  to.begin_object();
  encode_members(to, found);
  to.field("mutualId", rows.rows.empty() ? std::nullopt : rows.rows.front().mutual);
  to.end_object();
  c.reply();
}

void increase_vouch(call& c) { move(c, reputation::vouch_move::increase); }
void decrease_vouch(call& c) { move(c, reputation::vouch_move::decrease); }

void withdraw_vouch(call& c) {
  parameters given{c.query()};
  reputation::move_vouch question;
  question.id = given.path_id<vouch_id>("id", c.path_part("id"));
  question.by = c.caller()->profile;
  question.way = reputation::vouch_move::withdraw;
  question.dry_run = read_dry_run(given);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, std::move(question), &reply_with<vouch_record>);
}

void mark_vouch_unhealthy(call& c) {
  parameters given{c.query()};
  const reputation::mark_unhealthy question{given.path_id<vouch_id>("id", c.path_part("id")), c.caller()->profile,
                                            read_dry_run(given)};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, question, &reply_with<vouch_record>);
}

void replay_change_vouch(call& c, const idempotency::found_record&) { get_vouch(c); }

} // namespace credence::http::v2
