#include "http/api/xp/xp_json.hpp"

#include "http/call/page_json.hpp"

#include <algorithm>
#include <chrono>

namespace credence::http {

namespace {

constexpr std::chrono::days week_length{7};

/// The members of a season, into an open object.
void encode_members(json_writer& to, const profile::xp_season& what) {
  to.field("id", what.id);
  to.field("name", what.name);
  to.field("startDate", what.starts);
}

void encode_row(json_writer& to, const profile::ledger_row& what) {
  to.begin_object();
  to.field("id", what.id);
  to.field("type", what.type);
  to.field("points", what.points);
  to.key("metadata");
  to.begin_object();
  to.field_if("profileId", what.other);
  to.field_if("message", what.message);
  if (what.source) {
    to.key("source");
    to.begin_object();
    to.field("type", profile::tip_source_names[static_cast<std::size_t>(what.source->kind)]);
    to.field_if("id", what.source->id);
    to.end_object();
  }
  to.end_object();
  to.field("createdAt", what.at);
  to.field("week", what.season ? std::optional{what.week} : std::nullopt);
  to.field("xpSeasonId", what.season);
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
  to.key("seasons");
  to.begin_array();
  for (const auto& each : all) {
    to.begin_object();
    encode_members(to, each);
    to.end_object();
  }
  to.end_array();
  const auto current = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.starts <= now && (!each.ends || now < *each.ends); });
  to.key("currentSeason");
  if (current == all.end()) {
    to.null();
  } else {
    to.begin_object();
    encode_members(to, *current);
    to.field("week", weeks_begun({*current, now}));
    to.end_object();
  }
  to.end_object();
}

void encode(json_writer& to, const season_weeks& what) {
  to.begin_array();
  for (std::int32_t week = 1; week <= weeks_begun(what); ++week) {
    const timestamp end = what.season.starts + week * week_length;
    to.begin_object();
    to.field("week", week);
    to.field("startDate", timestamp{what.season.starts + (week - 1) * week_length});
    to.field("endDate", what.season.ends ? std::min(end, *what.season.ends) : end);
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

void encode(json_writer& to, const profile::ledger_page& what) {
  to.begin_object();
  encode_page(to, what.values, what.total, what.slice, [&](const profile::ledger_row& each) { encode_row(to, each); });
  to.end_object();
}

} // namespace credence::http
