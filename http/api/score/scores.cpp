#include "http/api/score/scores.hpp"

#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/score/score_actor.hpp"
#include "actors/score/score_state.hpp"
#include "auth/address.hpp"
#include "config/limits.hpp"
#include "http/api/people/people.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/replies.hpp"
#include "http/api/score/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

namespace credence::http {

namespace {

constexpr int digits_max = 12; // behind the point

/// Elements named in public descriptions that this score does not have.
constexpr std::array<std::string_view, 5> left_out{"Reputation Market Impact", "Social Graph Bonus",
                                                   "Influence Bracket", "Invitation Bond", "Ether per Voucher"};

void encode_number(json_writer& to, const score::rational& number) { to.raw(decimal_text(number, digits_max)); }

void encode_figure(json_writer& to, const score::figure& figure) {
  to.text_key(figure.name);
  std::visit(
    [&]<class Value>(const Value& value) {
      if constexpr (std::is_same_v<Value, std::monostate>) {
        to.null();
      } else if constexpr (std::is_same_v<Value, score::rational>) {
        encode_number(to, value);
      } else if constexpr (std::is_same_v<Value, std::vector<slash_id>>) {
        to.array(value, [&](const auto each) { to.value(each); });
      } else {
        to.value(value);
      }
    },
    figure.value);
}

void encode_intervals(json_writer& to, const score::element_rule& rule) {
  to.objects("ranges", rule.intervals, [&](const auto& each) {
    to.field_if("start", each.start);
    to.field_if("end", each.end);
    to.field("score", each.score);
  });
  to.field("outOfRangeScore", rule.out_of_range);
}

void encode_range(json_writer& to, const score::element_rule& rule) {
  to.object("range", [&] {
    to.field("min", rule.min);
    to.field("max", rule.max);
  });
}

void encode_element(json_writer& to, const score::element_rule& rule, const score::element_score& element) {
  to.begin_object();
  to.object("element", [&] {
    to.field("name", rule.name);
    to.field("type", rule.intervals.empty() ? "LookupNumber" : "LookupInterval");
    if (rule.intervals.empty())
      encode_range(to, rule);
    else
      encode_intervals(to, rule);
    to.object("metadata", [&] {
      for (const auto& each : element.made_of)
        encode_figure(to, each);
    });
  });
  to.key("raw");
  encode_number(to, element.raw);
  to.key("weighted");
  encode_number(to, element.weighted);
  to.field("points", element.points);
  to.field("error", false);
  to.end_object();
}

} // namespace

void encode_members(json_writer& to, const score::breakdown& breakdown) {
  to.field("score", breakdown.score);
  to.object("elements", [&] {
    for (std::size_t at = 0; at < score::element_count; ++at) {
      const auto which = static_cast<score::element>(at);
      if (which == score::element::limits && breakdown.of(which).points == 0)
        continue;
      to.text_key(score::rule_of(which).name);
      encode_element(to, score::rule_of(which), breakdown.of(which));
    }
  });
  to.object("metadata", [&] {
    to.field("startingScore", breakdown.starting);
    to.field("day", std::string_view{iso_text(timestamp{breakdown.on})}.substr(0, 10));
    to.field("vouchModel", score::vouch_model_names[static_cast<std::size_t>(breakdown.vouches)]);
    to.array("leftOut", left_out, [&](const auto each) { to.value(each); });
  });
  to.array("errors", [] {});
}

void encode_members(json_writer& to, score::progress progress) {
  to.field("status", score::progress_names[static_cast<std::size_t>(progress)]);
  to.field("isQueued", progress == score::progress::queued);
  to.field("isCalculating", progress == score::progress::calculating);
  to.field("isPending", progress != score::progress::idle);
}

void encode(json_writer& to, const score::score_history& history) {
  to.objects(history.entries, [&](const auto& each) {
    to.field("date", iso_text(each.at));
    to.field("score", each.score);
    to.field("day", std::string_view{iso_text(timestamp{each.on})}.substr(0, 10));
    to.field("cause", each.cause);
    to.object("points", [&] {
      for (std::size_t at = 0; at < std::min(each.points.size(), score::element_count); ++at)
        if (each.points[at] != 0) {
          to.text_key(score::rule_of(static_cast<score::element>(at)).name);
          to.value(each.points[at]);
        }
    });
  });
}

void encode_members(json_writer& to, const score::score_update& update) {
  const auto key = update.profile  ? "profileId:" + std::to_string(update.profile->value)
                   : update.wallet ? "address:" + auth::checksummed_text(*update.wallet)
                                   : update.account.value_or("userId:" + std::to_string(update.user.value));
  to.field("userkey", key);
  to.field("lastUpdatedAt", iso_text(update.at));
}

namespace {

using people::lookup_key;

constexpr std::size_t duration_default = 2;

/// Answers what `Question` asks about whom the key leads to.
template <class Question, class... Rest>
void reply_about(call& c, const lookup_key& key, Rest... rest) {
  people::find_people look{{key}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const Question question{came.people.front().user, rest...};
  const auto found = co_await c.ask(c.to().scores, question);
  reply_with(c, found);
}

} // namespace

namespace v1 {

void get_score_breakdown(call& c) {
  reply_about<score::get_breakdown>(c, c.value_of(parse_userkey(c.path_part("userkey"))));
}

} // namespace v1

namespace v2 {

void get_score_breakdown(call& c) {
  reply_about<score::get_breakdown>(c, read_key(c.given(), "userkey", &parse_userkey));
}

void get_score_status(call& c) { reply_about<score::get_progress>(c, read_key(c.given(), "userkey", &parse_userkey)); }

void list_score_history(call& c) {
  const auto key = read_key(c.given(), "userkey", &parse_userkey);
  const auto duration = c.given().choice("duration", duration_names).value_or(duration_default);
  reply_about<score::get_history>(c, key, start_of(duration, c.now()));
}

void list_score_updates(call& c) {
  auto& given = c.given();
  const auto after = given.required("after", "a moment such as 2026-11-22T12:00:00Z",
                                    [&] { return given.moment("after", day_edge::start); });
  const auto until = given.moment("until", day_edge::end);
  const score::get_updates question{after.value_or(timestamp{}), read_page(given, limits::score_updates_limit_max),
                                    until};
  c.ask(c.to().scores, question, [slice = question.slice](call& later, score::score_updates& found) {
    json_writer to{later.out()};
    encode_page(to, found.users, found.total, slice, [&](const score::score_update& each) { encode(to, each); });
    later.reply();
  });
}

} // namespace v2

namespace v1 {

namespace {

std::int32_t score_of(const people::found_person& who) { return who ? who.score : people::neutral_score; }

void get_score(call& c, std::string_view name, v2::key_parser parse) {
  people::find_people look{{v2::read_key(c.given(), name, parse)}};
  c.ask(c.to().people, std::move(look), [](call& later, people::found_people& came) {
    reply_data_with(later, [&](json_writer& to) { encode_score(to, score_of(came.people.front())); });
  });
}

void encode_history(json_writer& to, const score::score_history& found, std::string_view target, page slice) {
  const auto total = static_cast<std::int64_t>(found.entries.size());
  const auto from = std::min<std::int64_t>(slice.offset, total);
  const auto end = std::min<std::int64_t>(std::int64_t{slice.offset} + slice.limit, total);
  to.begin_object();
  to.key("values"); // the newest first
  to.begin_array();
  for (auto i = from; i < end; ++i) {
    const auto& each = found.entries[static_cast<std::size_t>(total - 1 - i)];
    to.begin_object();
    to.field("id", each.at.time_since_epoch().count());
    to.field("score", each.score);
    to.field("target", target);
    to.field("createdAt", each.at);
    to.end_object();
  }
  to.end_array();
  encode_slice(to, total, slice);
  to.end_object();
}

} // namespace

void get_score_of_address(call& c) { get_score(c, "address", &parse_address_key); }
void get_score_of_userkey(call& c) { get_score(c, "userkey", &parse_userkey); }

void list_score_history(call& c) {
  const auto duration = c.given().required("duration", "(1d, 7d, 30d, 90d, 180d, 6m, 1y or all)",
                                           [&] { return c.given().choice("duration", duration_names); });
  const auto slice = read_page(c.given());
  const std::string target{c.path_part("userkey")};
  people::find_people look{{c.value_of(parse_userkey(target))}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const score::get_history question{came.people.front().user, start_of(*duration, c.now())};
  const auto found = co_await c.ask(c.to().scores, question);
  reply_data_with(c, [&](json_writer& to) { encode_history(to, found, target, slice); });
}

void get_scores(call& c) {
  auto query = v2::read_keys(c.given(), c.body(), "userkeys", &parse_userkey);
  people::find_people look{std::move(query.keys)};
  c.ask(c.to().people, std::move(look), [texts = std::move(query.texts)](call& later, people::found_people& came) {
    std::set<std::string_view> written; // the same text twice would be the same member twice
    reply_data_object(later, [&](json_writer& to) {
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (written.insert(texts[i]).second) {
          to.text_key(texts[i]);
          encode_score(to, score_of(came.people[i]));
        }
    });
  });
}

} // namespace v1

namespace v2 {

namespace {

constexpr std::size_t reviews_max = 1000;
constexpr std::size_t slashes_max = 100;
constexpr std::int64_t count_max = 1'000'000; // of vouchers, of votes of a kind, of ether, of points
constexpr std::int64_t days_max = 10'000;
constexpr std::int64_t billion = 1'000'000'000;

constexpr std::array<std::string_view, 3> score_names{"negative", "neutral", "positive"};
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
    const auto how = static_cast<score::sentiment>(read_one_of(body, place + ".score", score_names));
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
  c.ask(c.to().scores, question, [](call& later, score::breakdown& found) { reply_with(later, found); });
}

} // namespace

void simulate_score(call& c) {
  auto& body = c.json_question();
  auto records = read_records(body);
  const auto text = body.text("userkey");
  body.refuse_others();
  if (!text)
    co_return reply_assumed(c, user_id{}, std::move(records));
  people::find_people look{{c.value_of(parse_userkey(*text))}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  reply_assumed(c, came.people.front().user, std::move(records));
}

} // namespace v2

} // namespace credence::http
