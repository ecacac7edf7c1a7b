#include "http/api/xp/xp_json.hpp"

#include "http/call/page_json.hpp"

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
  to.key("metadata");
  to.begin_object();
  to.field_if("profileId", row.other);
  to.field_if("message", row.message);
  if (row.source) {
    to.key("source");
    to.begin_object();
    to.field("type", profile::tip_source_names[static_cast<std::size_t>(row.source->kind)]);
    to.field_if("id", row.source->id);
    to.end_object();
  }
  to.end_object();
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
  to.key("seasons");
  to.begin_array();
  for (const auto& each : all) {
    to.begin_object();
    encode_members(to, each);
    to.end_object();
  }
  to.end_array();
  const auto current = std::find_if(
    all.begin(), all.end(), [&](const auto& each) { return each.starts <= now && (!each.ends || now < *each.ends); });
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
  to.begin_object();
  encode_page(to, page.values, page.total, page.slice, [&](const profile::ledger_row& each) { encode_row(to, each); });
  to.end_object();
}

} // namespace credence::http
