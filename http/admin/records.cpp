#include "actors/console/admin_database.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/oversight/oversight_storage.hpp"
#include "actors/project/project_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "auth/address.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/api/markets/markets.hpp"
#include "http/api/projects/projects.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"

#include <array>

namespace credence::http::admin {

namespace {

std::string_view status_of(bool archived) { return archived ? "ARCHIVED" : "ACTIVE"; }

void write_project_row(json_writer& to, const oversight::project_row& row) {
  to.field("projectId", row.id);
  to.field("username", row.username);
  to.field("name", row.name);
  to.field("status", status_of(row.archived));
  to.field("bullish", row.bullish);
  to.field("bearish", row.bearish);
}

void reply_project(call& c, const listing::listed& found) {
  const auto& core = *found.core;
  const auto& votes = *found.votes;
  reply_object(c, [&](json_writer& to) {
    to.field("projectId", core.id);
    to.field("username", core.user ? core.user->username.value_or("") : std::string{});
    to.field("name", core.user ? core.user->display_name : core.userkey);
    to.field("status", status_of(core.archived));
    to.field("bullish", votes.lifetime.bullish.total);
    to.field("bearish", votes.lifetime.bearish.total);
    to.field("description", core.description.value_or(""));
    to.field("createdAt", ms_of(core.created_at));
    to.field("bullishNow", votes.in_period.bullish.total);
    to.field("bearishNow", votes.in_period.bearish.total);
  });
}

void show(call& c, project_id which) {
  listing::get_listing question;
  question.project = which;
  question.top_voters = 0;
  c.ask(c.to().listings, std::move(question), [](call& later, listing::listed& found) { reply_project(later, found); });
}

void archive(call& c, bool archived) {
  const reputation::archive_project question{c.path_id<project_id>("projectId"), archived, read_dry_run(c.given())};
  c.ask(c.to().records, question, [](call& later, project_id&) { reply_ok(later); });
}

} // namespace

void list_projects(call& c) {
  oversight::find_projects question{read_query(c.given()), read_limit(c.given())};
  c.ask(c.to().oversight, std::move(question), [](call& later, oversight::project_rows& found) {
    reply_values(later, found.rows, &write_project_row, [&](json_writer& to) { to.field("total", found.total); });
  });
}

void get_project(call& c) { show(c, c.path_id<project_id>("projectId")); }

void get_project_chart(call& c) {
  const auto question = v2::read_chart(c.given(), c.path_part("projectId"));
  c.ask(c.to().projects, question, [](call& later, std::vector<project::chart_point>& points) {
    reply_values(later, points, [](json_writer& to, const project::chart_point& each) {
      to.field("at", ms_of(each.bucket_start));
      to.field("bullish", each.bullish);
      to.field("bearish", each.bearish);
    });
  });
}

/// One that is only tried has nothing to show.
void create_project(call& c) {
  v2::create_project(c, [](call& later, project_id made) { made ? show(later, made) : reply_ok(later); });
}

void archive_project(call& c) { archive(c, true); }
void restore_project(call& c) { archive(c, false); }

namespace {

constexpr std::array<std::string_view, 2> vote_side_names{"bullish", "bearish"};

console::read_votes read_votes_wanted(parameters& given) {
  console::read_votes out;
  out.project = given.id<project_id>("projectId");
  const auto voter = given.id<profile_id>("profileId");
  if (out.project.has_value() == voter.has_value())
    given.issue("one of projectId and profileId is required");
  out.voter = voter.value_or(profile_id{});
  if (const auto side = given.choice("side", vote_side_names))
    out.bullish = *side == 0;
  out.from = moment_in(given, "from");
  out.to = moment_in(given, "to");
  require_order(given, out.from, out.to);
  const auto after =
    given.integer("cursor", {1, out.project ? std::int64_t{limits::id_max} : console::votes_looked_at_max});
  if (after)
    out.after = static_cast<std::int32_t>(*after);
  out.limit = read_limit(given);
  return out;
}

} // namespace

void list_votes(call& c) {
  const auto question = read_votes_wanted(c.given());
  c.ask(c.to().admin_database, question, [](call& later, console::votes_page& found) {
    reply_values(
      later, found.values,
      [](json_writer& to, const console::cast_vote& each) {
        to.field("projectId", each.project);
        to.field("projectName", each.project_name);
        to.field("profileId", each.voter);
        to.field("name", each.voter_name);
        to.field("number", each.number);
        to.field("side", vote_side_names[each.bullish ? 0 : 1]);
        to.field("weight", each.weight);
        to.field("reason", each.reason);
        to.field("castAt", ms_of(each.at));
      },
      [&](json_writer& to) {
        to.field("next", found.next ? std::optional{std::to_string(*found.next)} : std::nullopt);
      });
  });
}

namespace {

void write_market(json_writer& to, const call& c, const market::market_view& of) {
  to.field("profileId", of.id);
  to.field("name", of.whose.name);
  to.field("trustVotes", of.votes.trust);
  to.field("distrustVotes", of.votes.distrust);
  to.field("trustPriceWei", decimal(of.trust_price));
  to.field("volumeWei", decimal(of.volume_total));
  to.field("frozen", of.frozen);
  to.field("actor", c.to().trading ? std::optional{"market:" + std::to_string(of.id.value)} : std::nullopt);
}

void reply_markets(call& c, const std::vector<market::market_view>& found, std::int64_t total) {
  reply_values(
    c, found, [&](json_writer& to, const market::market_view& each) { write_market(to, c, each); },
    [&](json_writer& to) { to.field("total", total); });
}

/// The market of the profile with this id; none where there is none.
void reply_by_id(call& c, std::int64_t id) {
  const market::get_market question{market_id{static_cast<std::int32_t>(id)}};
  const auto found = co_await c.outcome_of(c.to().markets, question);
  if (!found)
    co_return reply_markets(c, {}, 0);
  reply_markets(c, {*found}, 1);
}

using moment_list = market::get_moments::answer_type;

/// Moments before the market was made have no prices, and are left out.
void reply_chart(call& c, const moment_list& found, const std::vector<timestamp>& when) {
  reply_object(c, [&](json_writer& to) {
    to.array("values", [&] {
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i])
          continue;
        to.begin_object();
        to.field("at", ms_of(when[i]));
        to.field("trustPriceWei", decimal(found[i]->trust_price));
        to.field("distrustPriceWei", decimal(found[i]->distrust_price));
        to.end_object();
      }
    });
  });
}

} // namespace

void list_markets(call& c) {
  market::search_markets question;
  question.text = read_query(c.given());
  question.slice = {read_limit(c.given()), 0};
  question.busiest_first = true;
  const auto number = parse_integer(question.text);
  if (!number && characters(question.text) == 1)
    c.given().issue("query must have from 2 characters on, or be the id of a profile, not " + shown(question.text));
  if (number && *number >= 1 && *number <= limits::id_max)
    return reply_by_id(c, *number);
  c.ask(c.to().market_lists, std::move(question),
        [](call& later, market::market_page& found) { reply_markets(later, found.values, found.total); });
}

void get_market(call& c) {
  c.ask(c.to().markets, market::get_market{c.path_id<market_id>("profileId")},
        [](call& later, market::market_view& found) {
          reply_object(later, [&](json_writer& to) { write_market(to, later, found); });
        });
}

/// As the public price history has it, but that it ends now, so that it shows the last trade.
void get_market_chart(call& c) {
  const auto id = c.path_id<market_id>("profileId");
  const auto& which = read_price_window(c.given());
  auto when = moments_of(which, c.now());
  when.erase(when.begin());
  when.push_back(c.now());
  auto moments = when;
  c.ask(c.to().market_lists, market::get_moments{id, std::move(moments)},
        [when = std::move(when)](call& later, moment_list& found) { reply_chart(later, found, when); });
}

void set_market_frozen(call& c) {
  const auto which = c.path_id<market_id>("profileId");
  auto& body = c.json();
  const market::set_market_frozen order{which, required_flag(body, "frozen")};
  read_confirmation(body, market::owner_of(which));
  c.ask(c.to().markets, order, [](call& later, market::market_freeze&) { reply_ok(later); });
}

namespace {

std::string text_of(const slash::subject& subject) {
  if (subject.wallet)
    return auth::checksummed_text(*subject.wallet);
  if (subject.account)
    return "service:" + std::string{people::name_of(subject.account->service)} + ":" + subject.account->id;
  return subject.profile ? "profileId:" + std::to_string(subject.profile->value)
                         : "user " + std::to_string(subject.user.value);
}

void write_slash(json_writer& to, const slash::slash_record& of) {
  to.field("slashId", of.id);
  to.field("authorProfileId", of.author);
  to.field("subject", text_of(of.subject));
  to.field("amount", of.amount);
  to.field("state",
           of.closed ? slash::verdict_names[static_cast<std::size_t>(of.closed->how)] : std::string_view{"OPEN"});
  to.field("createdAt", ms_of(of.created_at));
  to.field("endsAt", ms_of(of.ends_at()));
}

/// `cursor` is how many slashes the pages before had.
credence::page read_slice(parameters& given) {
  const auto offset = given.integer_or("cursor", 0, {0, limits::id_max});
  return {read_limit(given), offset};
}

} // namespace

void list_slashes(call& c) {
  slash::find_slashes question;
  question.slice = read_slice(c.given());
  c.ask(c.to().slashes, std::move(question), [](call& later, slash::slash_page& found) {
    const auto until = std::int64_t{found.slice.offset} + static_cast<std::int64_t>(found.values.size());
    reply_values(later, found.values, &write_slash, [&](json_writer& to) {
      to.field("next", until < found.total ? std::optional{std::to_string(until)} : std::nullopt);
    });
  });
}

void cancel_slash(call& c) {
  const slash::cancel_slash question{c.path_id<slash_id>("slashId")};
  c.ask(c.to().slashes, question, [](call& later, slash::slash_record&) { reply_ok(later); });
}

} // namespace credence::http::admin
