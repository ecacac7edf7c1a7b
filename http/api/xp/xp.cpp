#include "http/api/xp/xp.hpp"

#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/api/xp/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <chrono>

namespace credence::http {

namespace {

constexpr std::chrono::days week_length{7};

/// The members of a season, into an open object.
void encode_members(json_writer& to, const profile::xp_season& season) {
  to.field("id", season.id);
  to.field("name", season.name);
  to.field("startDate", season.starts);
}

void encode_row(json_writer& to, const profile::ledger_row& row) {
  to.begin_object();
  to.field("id", row.id);
  to.field("type", row.type);
  to.field("points", row.points);
  to.object("metadata", [&] {
    to.field_if("profileId", row.other);
    to.field_if("message", row.message);
    if (row.source) {
      to.object("source", [&] {
        to.field("type", profile::tip_source_names[static_cast<std::size_t>(row.source->kind)]);
        to.field_if("id", row.source->id);
      });
    }
  });
  to.field("createdAt", row.at);
  to.field("week", row.season ? std::optional{row.week} : std::nullopt);
  to.field("xpSeasonId", row.season);
  to.end_object();
}

} // namespace

std::int32_t weeks_begun(const season_weeks& in) {
  const auto last = in.season.ends ? std::min(*in.season.ends - std::chrono::microseconds{1}, in.now) : in.now;
  if (last < in.season.starts)
    return 0;
  return static_cast<std::int32_t>((last - in.season.starts) / week_length) + 1;
}

void encode_seasons(json_writer& to, const std::vector<profile::xp_season>& all, timestamp now) {
  to.begin_object();
  to.objects("seasons", all, [&](const auto& each) { encode_members(to, each); });
  const auto current = std::find_if(
    all.begin(), all.end(), [&](const auto& each) { return each.starts <= now && (!each.ends || now < *each.ends); });
  if (current == all.end())
    to.field("currentSeason", nullptr);
  else
    to.object("currentSeason", [&] {
      encode_members(to, *current);
      to.field("week", weeks_begun({*current, now}));
    });
  to.end_object();
}

void encode(json_writer& to, const season_weeks& weeks) {
  to.begin_array();
  for (std::int32_t week = 1; week <= weeks_begun(weeks); ++week) {
    const timestamp end = weeks.season.starts + week * week_length;
    to.begin_object();
    to.field("week", week);
    to.field("startDate", timestamp{weeks.season.starts + (week - 1) * week_length});
    to.field("endDate", weeks.season.ends ? std::min(end, *weeks.season.ends) : end);
    to.end_object();
  }
  to.end_array();
}

void encode_weekly(json_writer& to, const season_weeks& in, const std::vector<profile::xp_week>& weeks) {
  auto next = weeks.begin();
  std::int64_t so_far = 0;
  to.begin_array();
  for (std::int32_t week = 1; week <= weeks_begun(in); ++week) {
    const std::int64_t points = next != weeks.end() && next->week == week ? (next++)->points : 0;
    so_far += points;
    to.begin_object();
    to.field("week", week);
    to.field("weeklyXp", points);
    to.field("cumulativeXp", so_far);
    to.end_object();
  }
  to.end_array();
}

void encode(json_writer& to, const profile::ledger_page& page) {
  encode_page(to, page.values, page.total, page.slice, [&](const profile::ledger_row& each) { encode_row(to, each); });
}

namespace v2 {

namespace {

using profile::season_points;
using season_list = profile::get_xp_seasons::answer_type;

/// The id of a season in the path: 0 is one, too.
std::int32_t read_season(parameters& given, const call& c) {
  const auto text = c.path_part("seasonId");
  const auto number = parse_integer(text);
  if (number && *number >= 0 && *number <= limits::id_max)
    return static_cast<std::int32_t>(*number);
  given.issue("seasonId must be an integer from 0 to " + std::to_string(limits::id_max) + ", not " + shown(text));
  return 0;
}

refusal no_season(std::int32_t id) { return {refusal_code::not_found, "there is no season " + std::to_string(id)}; }

/// What somebody has earned in a season, written by `write`.
void show_points(call& c, void (*write)(json_writer& to, const season_weeks& in, const season_points& found)) {
  const auto season = read_season(c.given(), c);
  people::find_people look{{c.value_of(parse_userkey(c.path_part("userkey")))}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  profile::get_season_points question{came.people.front().profile, season};
  const auto found = co_await c.ask(c.to().records, std::move(question));
  if (!found.season)
    co_return c.refuse(no_season(season));
  json_writer to{c.out()};
  write(to, {*found.season, c.now()}, found);
  c.reply();
}

void write_total(json_writer& to, const season_weeks&, const season_points& found) {
  std::int64_t total = 0;
  for (const auto& each : found.weeks)
    total += each.points;
  to.value(total);
}

void write_weekly(json_writer& to, const season_weeks& in, const season_points& found) {
  encode_weekly(to, in, found.weeks);
}

/// The message of a tip is told to its two parties alone.
void keep_messages_private(const call& c, profile_id whose, profile::ledger_page& found) {
  const auto viewer = c.caller() ? c.caller()->profile : profile_id{};
  if (viewer == whose && viewer != profile_id{})
    return;
  for (auto& row : found.values)
    if (!row.other || *row.other != viewer)
      row.message.reset();
}

} // namespace

void list_xp_seasons(call& c) {
  c.ask(c.to().records, profile::get_xp_seasons{}, [](call& later, season_list& found) {
    json_writer to{later.out()};
    encode_seasons(to, found, later.now());
    later.reply();
  });
}

void list_xp_season_weeks(call& c) {
  const auto season = read_season(c.given(), c);
  c.ask(c.to().records, profile::get_season_points{std::nullopt, season}, [season](call& later, season_points& found) {
    if (!found.season)
      return later.refuse(no_season(season));
    season_weeks weeks{*std::move(found.season), later.now()};
    reply_with(later, weeks);
  });
}

void get_xp_of_season(call& c) { show_points(c, &write_total); }
void list_xp_by_week(call& c) { show_points(c, &write_weekly); }

void get_xp_rank(call& c) {
  people::find_people look{{c.value_of(parse_userkey(c.path_part("userkey")))}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto who = came.people.front().profile;
  if (!who)
    co_return c.refuse({refusal_code::not_found, "no profile matches userkey"});
  const market::get_xp_rank question{*who};
  const auto found = co_await c.ask(c.to().market_lists, question);
  json_writer{c.out()}.value(found.ahead);
  c.reply();
}

void list_xp_history(call& c) {
  auto key = read_userkey_if_any(c.given());
  const auto slice = read_list_page(c.given(), limits::limit_max);
  ask_about(c, std::move(key), [slice](call& asking, profile_id whose) {
    asking.ask(asking.to().records, profile::list_ledger{whose, slice},
               [whose](call& later, profile::ledger_page& found) {
                 keep_messages_private(later, whose, found);
                 reply_with(later, found);
               });
  });
}

} // namespace v2

} // namespace credence::http
