#include "http/api/projects/questions.hpp"

#include "http/call/json_body.hpp"
#include "http/call/record_body.hpp"

#include <array>
#include <string>

namespace credence::http::v2 {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> scope_names{"global", "global-dates", "current-period", "period"};
constexpr std::array<string_view, 2> order_names{"score", "updatedAt"};
constexpr std::array<string_view, 2> direction_names{"asc", "desc"};
constexpr std::array<string_view, 2> sentiment_names{"bullish", "bearish"};

constexpr bounds days{limits::days_min, limits::days_max};

/// The side of a body's `voteType`; anything else is told to `body`.
project::sentiment read_side(json_body& body) {
  if (!body.has("voteType"))
    body.issue("voteType is required: BULLISH or BEARISH");
  else if (const auto text = body.text("voteType")) {
    if (*text == "BULLISH")
      return project::sentiment::bullish;
    if (*text == "BEARISH")
      return project::sentiment::bearish;
    body.issue("voteType must be BULLISH or BEARISH, not " + shown(*text));
  }
  return {};
}

std::optional<std::string> read_reason(json_body& body) {
  const auto text = body.text("voteReason");
  if (!text)
    return std::nullopt;
  const auto length = characters(*text);
  if (length < limits::vote_reason_length_min || length > limits::vote_reason_length_max)
    body.issue("voteReason must have " + std::to_string(limits::vote_reason_length_min) + " to "
               + std::to_string(limits::vote_reason_length_max) + " characters, not " + std::to_string(length));
  return std::string{*text};
}

} // namespace

void read_ballot(json_body& body, project::cast_vote& to) {
  to.side = read_side(body);
  to.reason = read_reason(body);
}

period::period_name read_period(parameters& from) { return {from.integer("year"), from.integer("period")}; }

project::scope read_scope(parameters& from) {
  using project::scope_kind;
  project::scope out;
  if (const auto at = from.choice("scope", scope_names))
    out.kind = static_cast<scope_kind>(*at);
  /// What bounds a scope is required in that one, and refused in others: nobody asks for a year to see another.
  const auto bound_of = [&](scope_kind kind, string_view name, auto read) {
    const auto with = "scope '" + std::string{scope_names[static_cast<std::size_t>(kind)]} + "'";
    if (out.kind == kind)
      return from.required(name, "with " + with, read);
    if (from.has(name))
      from.issue(std::string{name} + " needs " + with);
    return decltype(read()){};
  };
  const auto first =
    bound_of(scope_kind::global_dates, "startDate", [&] { return from.moment("startDate", day_edge::start); });
  const auto last =
    bound_of(scope_kind::global_dates, "endDate", [&] { return from.moment("endDate", day_edge::end); });
  if (first && last && *first > *last)
    from.issue("startDate must not be after endDate");
  out.from = first.value_or(timestamp{});
  out.to = last.value_or(timestamp{});
  out.named.year = bound_of(scope_kind::period, "year", [&] { return from.integer("year"); });
  out.named.number = bound_of(scope_kind::period, "period", [&] { return from.integer("period"); });
  return out;
}

project::cast_vote read_vote(parameters& from, string_view project, string_view body, profile_id voter) {
  project::cast_vote out;
  out.project = from.path_id<project_id>("projectId", project);
  out.voter = voter;
  out.dry_run = read_dry_run(from);
  auto read = json_body::parse(body);
  if (!read) {
    from.issues_of(read.why());
    return out;
  }
  read_ballot(*read, out);
  if (!read->good())
    from.issues_of(read->why());
  return out;
}

profile::get_balance read_balance(parameters& from, profile_id caller) {
  profile::get_balance out;
  out.profile = caller;
  out.project = from.id<project_id>("projectId");
  out.in = read_period(from);
  return out;
}

project::get_voters read_voters(parameters& from, string_view project) {
  project::get_voters out;
  out.project = from.path_id<project_id>("projectId", project);
  if (const auto at = from.choice("orderBy", order_names))
    out.order = static_cast<project::voter_order>(*at);
  if (const auto at = from.choice("orderDirection", direction_names))
    out.descending = *at == 1;
  if (const auto at = from.choice("sentiment", sentiment_names))
    out.side = static_cast<project::sentiment>(*at);
  out.in = read_scope(from);
  out.slice = read_page(from);
  return out;
}

project::get_bulk_totals read_bulk_totals(parameters& from) {
  project::get_bulk_totals out;
  out.project = from.required("projectId", "", [&] { return from.id<project_id>("projectId"); }).value_or(project_id{});
  const auto ids = from.required("profileIds", "(1 to 100 profile ids)", [&] {
    return from.integers("profileIds", {1, limits::id_max}, limits::bulk_profile_ids_max);
  });
  out.voters.reserve(ids.size());
  for (const auto each : ids)
    out.voters.push_back(profile_id{each});
  out.in = read_scope(from);
  return out;
}

project::get_chart read_chart(parameters& from, string_view project) {
  static const auto names = [] {
    std::array<string_view, project::bucket_names.size()> out;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = project::bucket_names[i];
    return out;
  }();
  project::get_chart out;
  out.project = from.path_id<project_id>("projectId", project);
  if (const auto at = from.choice("bucket", names))
    out.width = static_cast<project::bucket>(*at);
  out.in = read_scope(from);
  return out;
}

listing::get_listings read_listings(parameters& from) {
  listing::get_listings out;
  if (const auto userkey = from.text("userkey"))
    out.owner = listing::listing_owner{std::string{*userkey}};
  out.in = read_period(from);
  out.top_movers_days = from.integer_or("topMoversDays", limits::top_movers_days_default, days);
  out.sparkline_days = from.integer_or("sparklineDays", 0, days);
  out.delta_days = from.integers("deltaWindows", days, limits::delta_windows_max);
  out.slice = read_page(from);
  return out;
}

listing::get_listing read_listing(parameters& from, string_view username) {
  listing::get_listing out;
  out.username = std::string{username};
  out.in = read_period(from);
  out.top_voters =
    from.integer_or("topVotersLimit", limits::top_voters_limit_default, {0, limits::top_voters_limit_max});
  return out;
}

} // namespace credence::http::v2
