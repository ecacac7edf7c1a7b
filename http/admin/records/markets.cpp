#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/page.hpp"
#include "http/admin/records/confirmed.hpp"
#include "http/api/markets/price_windows.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"

namespace credence::http::admin {

namespace {

void write_market(json_writer& to, const call& c, const market::market_view& of) {
  to.begin_object();
  to.field("profileId", of.id);
  to.field("name", of.whose.name);
  to.field("trustVotes", of.votes.trust);
  to.field("distrustVotes", of.votes.distrust);
  to.field("trustPriceWei", decimal(of.trust_price));
  to.field("volumeWei", decimal(of.volume_total));
  to.field("frozen", of.frozen);
  to.field("actor", c.to().trading ? std::optional{"market:" + std::to_string(of.id.value)} : std::nullopt);
  to.end_object();
}

void reply_markets(call& c, const std::vector<market::market_view>& found, std::int64_t total) {
  json_writer to{c.out()};
  write_values(
    to, found, [&](const market::market_view& each) { write_market(to, c, each); }, [&] { to.field("total", total); });
  c.reply();
}

/// The market of the profile with this id; none where there is none.
void reply_by_id(call& c, std::int64_t id) {
  const market::get_market question{market_id{static_cast<std::int32_t>(id)}};
  const auto found = co_await c.outcome_of(c.to().markets, question);
  if (!found)
    co_return reply_markets(c, {}, 0);
  reply_markets(c, {*found}, 1);
}

outcome<market::set_market_frozen> read_freeze(const call& c) {
  parameters given{c.query()};
  const auto which = given.path_id<market_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return given.why();
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto frozen = body->boolean("frozen");
  if (!frozen && body->good())
    body->issue("frozen is required: true or false");
  read_confirmation(*body, market::owner_of(which));
  if (!body->good())
    return body->why();
  return market::set_market_frozen{which, *frozen};
}

using moment_list = market::get_moments::answer_type;

/// Moments before the market was made have no prices, and are left out.
void reply_chart(call& c, const moment_list& found, const std::vector<timestamp>& when) {
  json_writer to{c.out()};
  to.begin_object();
  to.key("values");
  to.begin_array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i])
      continue;
    to.begin_object();
    to.field("at", ms_of(when[i]));
    to.field("trustPriceWei", decimal(found[i]->trust_price));
    to.field("distrustPriceWei", decimal(found[i]->distrust_price));
    to.end_object();
  }
  to.end_array();
  to.end_object();
  c.reply();
}

} // namespace

void list_markets(call& c) {
  parameters given{c.query()};
  market::search_markets question;
  question.text = read_query(given);
  question.slice = {read_limit(given), 0};
  question.busiest_first = true;
  const auto number = parse_integer(question.text);
  if (!number && characters(question.text) == 1)
    given.issue("query must have from 2 characters on, or be the id of a profile, not " + shown(question.text));
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  if (number && *number >= 1 && *number <= limits::id_max)
    return reply_by_id(c, *number);
  c.ask(c.to().market_lists, std::move(question),
        [](call& later, market::market_page& found) { reply_markets(later, found.values, found.total); });
}

void get_market(call& c) {
  parameters given{c.query()};
  const auto which = given.path_id<market_id>("profileId", c.path_part("profileId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().markets, market::get_market{which}, [](call& later, market::market_view& found) {
    json_writer to{later.out()};
    write_market(to, later, found);
    later.reply();
  });
}

/// As the public price history has it, but that it ends now, so that it shows the last trade.
void get_market_chart(call& c) {
  parameters given{c.query()};
  const auto id = given.path_id<market_id>("profileId", c.path_part("profileId"));
  const auto& which = read_price_window(given);
  given.refuse_others();
  if (!given.good())
    return c.refuse(given.why());
  auto when = moments_of(which, c.now());
  when.erase(when.begin());
  when.push_back(c.now());
  auto moments = when;
  c.ask(c.to().market_lists, market::get_moments{id, std::move(moments)},
        [when = std::move(when)](call& later, moment_list& found) { reply_chart(later, found, when); });
}

void set_market_frozen(call& c) {
  const auto order = read_freeze(c);
  if (!order)
    return c.refuse(order.why());
  c.ask(c.to().markets, *order, [](call& later, market::market_freeze&) { reply_ok(later); });
}

} // namespace credence::http::admin
