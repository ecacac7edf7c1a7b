#include "http/api/projects/projects.hpp"

#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "config/limits.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <unordered_map>

namespace credence::http {

namespace v2 {

namespace {

using reputation::team_member;

reputation::project_names read_names(json_body& body) {
  return {read_display_name(body, "name"), read_username(body), read_https_url(body, "avatarUrl", 1)};
}

std::optional<std::vector<listing::link>> read_links(json_body& body) {
  const auto count = body.objects("links", limits::project_links_max);
  if (!count)
    return std::nullopt;
  std::vector<listing::link> out;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto at = "links." + std::to_string(i);
    listing::link link;
    link.type = static_cast<listing::link_type>(read_one_of(body, at + ".type", listing::link_type_names));
    const auto url = read_https_url(body, at + ".url", 1);
    if (!url && body.good())
      body.issue(at + ".url is required: an https:// URL");
    link.url = url.value_or("");
    out.push_back(std::move(link));
  }
  return out;
}

team_member read_member(json_body& body, const std::string& at) {
  team_member out;
  const auto profile = body.integer(at + ".profileId");
  if (!profile || *profile < 1 || *profile > limits::id_max)
    body.issue(at + ".profileId must be the id of a profile, 1 to " + std::to_string(limits::id_max));
  else
    out.profile = profile_id{static_cast<std::int32_t>(*profile)};
  out.role = read_display_name(body, at + ".role");
  if (out.role && characters(*out.role) > limits::team_role_length_max)
    body.issue(at + ".role must have at most " + std::to_string(limits::team_role_length_max) + " characters");
  out.manager = body.boolean(at + ".isManager").value_or(false);
  return out;
}

std::optional<std::vector<team_member>> read_team(json_body& body) {
  const auto count = body.objects("team", limits::project_team_max);
  if (!count)
    return std::nullopt;
  std::vector<team_member> out;
  for (std::size_t i = 0; i < *count; ++i)
    out.push_back(read_member(body, "team." + std::to_string(i)));
  std::sort(out.begin(), out.end(), [](const team_member& a, const team_member& b) { return a.profile < b.profile; });
  const auto twice = std::adjacent_find(
    out.begin(), out.end(), [](const team_member& a, const team_member& b) { return a.profile == b.profile; });
  if (body.good() && twice != out.end())
    body.issue("team must name each profile once, and names " + std::to_string(twice->profile.value) + " twice");
  return out;
}

template <class Id>
std::optional<std::vector<Id>> read_ids(json_body& body, std::string_view name, std::size_t most) {
  const auto numbers = body.integers(name, most);
  if (!numbers)
    return std::nullopt;
  std::vector<Id> out;
  for (const auto each : *numbers) {
    if (each < 1 || each > limits::id_max)
      body.issue("each item of " + std::string{name} + " must be from 1 to " + std::to_string(limits::id_max));
    out.push_back(Id{static_cast<std::int32_t>(each)});
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// All but the names; what stays absent is not edited.
void read_contents(json_body& body, reputation::edit_project& to) {
  to.description = read_plain_text(body, "description", 0, limits::description_length_max);
  to.banner_image_url = read_https_url(body, "bannerImageUrl", 0);
  to.promoted = body.boolean("isPromoted");
  to.show_archived = body.boolean("showArchived");
  to.links = read_links(body);
  to.team = read_team(body);
  to.categories = read_ids<reputation::category_id>(body, "categories", limits::project_categories_max);
  to.chains = read_ids<reputation::chain_id>(body, "chains", limits::project_chains_max);
}

bool empty(const reputation::edit_project& edit) {
  return !edit.names.any() && !edit.description && !edit.banner_image_url && !edit.promoted && !edit.show_archived
         && !edit.links && !edit.team && !edit.categories && !edit.chains;
}

} // namespace

project_order read_new_project(json_body& body) {
  project_order out;
  auto& question = out.question;
  out.whose = read_somebody(body, "userkey", ": whom the project is of, such as service:x.com:<id> or address:0x…");
  reputation::edit_project contents;
  read_contents(body, contents);
  question.details = {unless_empty(std::move(contents.description)),
                      unless_empty(std::move(contents.banner_image_url)),
                      contents.promoted.value_or(false),
                      contents.show_archived.value_or(false),
                      std::move(contents.links).value_or(std::vector<listing::link>{}),
                      std::move(contents.team).value_or(std::vector<team_member>{}),
                      std::move(contents.categories).value_or(std::vector<reputation::category_id>{}),
                      std::move(contents.chains).value_or(std::vector<reputation::chain_id>{})};
  return out;
}

/// What public clients call a project that nobody has decided on: there are none here.
constexpr std::string_view no_project_yet = "PENDING";

listing::get_projects read_projects(parameters& from) {
  constexpr std::array<std::string_view, 3> words{"ACTIVE", "ARCHIVED", no_project_yet};
  listing::get_projects out;
  out.archived = from.choice("status", words) == 1u;
  out.slice = read_page(from);
  return out;
}

} // namespace v2

namespace {

/// How often somebody voted on a project in one period.
struct vote_history {
  std::int64_t bullish = 0;
  std::int64_t bearish = 0;
};
using histories = std::unordered_map<project_id, vote_history>;

void add(vote_history& to, profile::sentiment side) {
  ++(side == profile::sentiment::bullish ? to.bullish : to.bearish);
}

void encode_history(json_writer& to, json_name name, const vote_history& history) {
  to.object(name, [&] {
    to.field("bullishVotesCast", history.bullish);
    to.field("bearishVotesCast", history.bearish);
  });
}

/// Profiles without a user are left out.
void encode_users(json_writer& to, const std::vector<profile_id>& who, user_cards& users) {
  to.array(who, [&](const auto each) { users.write(to, each); });
}

void encode_side(json_writer& to, json_name name, const project::side_summary& side, user_cards& users) {
  to.object(name, [&] {
    to.key("topVoters");
    encode_users(to, side.top_voters, users);
    to.field("total", side.total);
    to.field("uniqueVoters", side.unique_voters);
  });
}

void encode_sides(json_writer& to, const project::votes_block& block, user_cards& users) {
  encode_side(to, "bullish", block.bullish, users);
  encode_side(to, "bearish", block.bearish, users);
}

/// Members `bullish`, `bearish` and `all` of an open object.
void encode_block(json_writer& to, const project::votes_block& block, user_cards& users) {
  encode_sides(to, block, users);
  to.object("all", [&] {
    to.field("total", block.total);
    to.field("uniqueVoters", block.unique_voters);
  });
}

/// Everything up to `user`.
void encode_core(json_writer& to, const listing::listing_core& core, user_cards& users) {
  to.field("id", core.id);
  to.field("userkey", core.userkey);
  to.field("status", core.archived ? "ARCHIVED" : "ACTIVE");
  to.field_if("bannerImageUrl", core.banner_image_url);
  to.field("isPromoted", core.is_promoted);
  to.field("showArchived", core.show_archived);
  to.field_if("description", core.description);
  to.field("createdAt", core.created_at);
  to.field("updatedAt", core.updated_at);
  to.key("user");
  users.write(to, *core.user);
}

void encode_surroundings(json_writer& to, const listing::listing_core& core) {
  to.objects("categories", core.categories, [&](const auto& each) {
    to.field("id", each.id);
    to.field("name", each.name);
    to.field("slug", each.slug);
    to.field("description", each.description);
  });
  to.objects("chains", core.chains, [&](const auto& each) {
    to.field("id", each.id);
    to.field("name", each.name);
    to.field("url", each.url);
    to.field("iconUrl", each.icon_url);
  });
  to.field("commentCount", core.comment_count);
}

void encode_links(json_writer& to, const listing::listing_core& core) {
  to.objects("links", core.links, [&](const auto& each) {
    to.field("type", listing::link_type_names[static_cast<std::size_t>(each.type)]);
    to.field("url", each.url);
  });
}

/// What an answer tells of a listing in several places, each encoded once until the listing is read again.
enum class part : std::uint8_t { core, surroundings, links };
static_assert(static_cast<std::size_t>(part::links) < user_cards::parts_max);

void write_core(json_writer& to, const listing::core_ptr& core, user_cards& users) {
  users.write_members(to, core, static_cast<std::size_t>(part::core),
                      [&](json_writer& fresh) { encode_core(fresh, *core, users); });
}
void write_surroundings(json_writer& to, const listing::core_ptr& core, user_cards& users) {
  users.write_members(to, core, static_cast<std::size_t>(part::surroundings),
                      [&](json_writer& fresh) { encode_surroundings(fresh, *core); });
}
void write_links(json_writer& to, const listing::core_ptr& core, user_cards& users) {
  users.write_members(to, core, static_cast<std::size_t>(part::links),
                      [&](json_writer& fresh) { encode_links(fresh, *core); });
}

void encode_sparkline(json_writer& to, const std::vector<project::spark_point>& points) {
  to.objects(points, [&](const auto& each) {
    to.field("date", std::string_view{iso_text(timestamp{each.day})}.substr(0, 10));
    to.field("bullishPercent", each.bullish_percent);
  });
}

void encode_deltas(json_writer& to, const std::vector<std::pair<std::int32_t, double>>& deltas) {
  to.begin_object();
  for (const auto& [days, points] : deltas) {
    to.key(days);
    to.value(points);
  }
  to.end_object();
}

/// `own` is null for rows that do not tell the caller's votes.
void encode_row(json_writer& to, const listing::listed& row, const listings_answer& query, const histories* own,
                user_cards& users) {
  write_core(to, row.core, users);
  to.object("votes", [&] {
    encode_block(to, row.votes->in_period, users);
    to.object("lifetime", [&] { encode_block(to, row.votes->lifetime, users); });
  });
  write_surroundings(to, row.core, users);
  if (own) {
    const auto found = own->find(row.core->id);
    encode_history(to, "currentUserVoteHistory", found == own->end() ? vote_history{} : found->second);
  }
  if (query.with_sparkline) {
    to.key("sparkline");
    encode_sparkline(to, row.votes->sparkline);
  }
  if (query.with_deltas) {
    to.key("deltas");
    encode_deltas(to, row.votes->deltas);
  }
}

void encode_mover(json_writer& to, const listing::mover& mover, user_cards& users) {
  write_core(to, mover.core, users);
  write_surroundings(to, mover.core, users);
  write_links(to, mover.core, users);
  to.field("percentagePointChange", mover.percentage_point_change);
}

void encode_project_members(json_writer& to, const listing::listed& row, user_cards& users) {
  write_core(to, row.core, users);
  to.object("votes", [&] { encode_block(to, row.votes->in_period, users); });
  write_surroundings(to, row.core, users);
  write_links(to, row.core, users);
}

/// What the caller has said and may still say of a project, if there is a caller.
void encode_own(json_writer& to, const std::optional<profile::balance_view>& own) {
  if (!own)
    return;
  vote_history history;
  if (own->vote)
    add(history, *own->vote);
  to.object("currentUsersVotes", [&] {
    to.field("balance", own->balance);
    encode_history(to, "projectHistory", history);
  });
}

histories by_project(const listings_answer& answer) {
  histories out;
  if (answer.own)
    for (const auto& vote : *answer.own)
      if (vote.in == answer.found.in.id)
        add(out[vote.project], vote.side);
  return out;
}

/// Bytes of a row, nearly all of them users. A body that has to grow is copied: a page of 100 is 1.5 MB long.
std::size_t bytes_of(const listing::listed& row) {
  constexpr std::size_t of_user = 1100;
  constexpr std::size_t of_the_rest = 1536;
  std::size_t users = 1;
  for (const auto* block : {&row.votes->in_period, &row.votes->lifetime})
    users += block->bullish.top_voters.size() + block->bearish.top_voters.size();
  return users * of_user + of_the_rest + row.votes->sparkline.size() * 48;
}

} // namespace

std::size_t listings_answer::size_hint() const noexcept {
  std::size_t bytes = 1024 + found.top_movers.size() * 2560;
  for (const auto* rows : {&found.projects, &found.archived_projects})
    for (const auto& each : *rows)
      bytes += bytes_of(each);
  return bytes;
}

void encode_members(json_writer& to, const listings_answer& answer, user_cards& users) {
  const auto own = by_project(answer);
  to.objects("projects", answer.found.projects,
             [&](const auto& each) { encode_row(to, each, answer, answer.own ? &own : nullptr, users); });
  to.objects("archivedProjects", answer.found.archived_projects,
             [&](const auto& each) { encode_row(to, each, answer, nullptr, users); });
  to.field("total", answer.found.total);
  to.objects("topMovers", answer.found.top_movers, [&](const auto& each) { encode_mover(to, each, users); });
}

void encode_members(json_writer& to, const listing_answer& answer, user_cards& users) {
  const auto& core = *answer.found.core;
  const auto& block = answer.found.votes->in_period;
  to.object("project", [&] {
    write_core(to, answer.found.core, users);
    write_surroundings(to, answer.found.core, users);
    write_links(to, answer.found.core, users);
  });

  to.object("topVoters", [&] {
    encode_sides(to, block, users);
    encode_side(to, "all", {block.top_voters, block.total, block.unique_voters}, users);
  });

  encode_own(to, answer.own);
  to.key("team");
  encode_users(to, core.team, users);
}

void encode_members(json_writer& to, const details_answer& answer, user_cards& users) {
  encode_project_members(to, answer.listing.found, users);
  encode_own(to, answer.listing.own);
  to.key("team");
  encode_users(to, answer.listing.found.core->team, users);
}

void encode_members(json_writer& to, const project_answer& answer, user_cards& users) {
  encode_project_members(to, answer.found, users);
}

namespace {

void encode_projects(json_writer& to, const listing::projects_page& found, user_cards& users) {
  to.objects(found.projects, [&](const auto& each) { encode_project_members(to, each, users); });
}

} // namespace

void encode(json_writer& to, const suggested_answer& answer, user_cards& users) {
  encode_projects(to, answer.found, users);
}

void encode_members(json_writer& to, const projects_answer& answer, user_cards& users) {
  to.key("projects");
  encode_projects(to, answer.found, users);
  to.field("total", answer.found.total);
}

void encode(json_writer& to, const team_answer& answer, user_cards& users) {
  to.begin_array();
  for (const auto& each : answer.found.members) {
    std::string user;
    json_writer fresh{user};
    if (!users.write(fresh, each.profile))
      continue;
    to.begin_object();
    to.raw_members(std::string_view{user}.substr(1, user.size() - 2));
    to.field("role", each.role);
    to.field("isManager", each.manager);
    to.end_object();
  }
  to.end_array();
}

namespace v2 {

namespace {

/// Answers with the project as it is now.
void show(call& c, project_id which) {
  listing::get_listing question;
  question.project = which;
  c.ask(c.to().listings, std::move(question),
        [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); });
}

/// Asks the keeper, then shows the project.
template <class Command>
void change_project(call& c, Command command) {
  submit(c, std::move(command), [](call& later, project_id which) { show(later, which); });
}

void archive_project(call& c, bool archived) {
  change_project(c, reputation::archive_project{c.path_id<project_id>("projectId"), archived, read_dry_run(c.given())});
}

} // namespace

void create_project(call& c, void (*made)(call&, project_id)) {
  auto& body = c.json();
  auto order = read_new_project(body);
  order.question.names = read_names(body);
  order.question.dry_run = read_dry_run(c.given());
  if (c.refuse_mistakes())
    co_return;
  people::bundle_ptr who;
  if (!names_itself(order.whose)) {
    people::get_bundle look{order.whose};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
  }
  order.question.subject = c.value_of(record_subject_of(order.whose, who.get()));
  if (c.refuse_mistakes())
    co_return;
  order.question.userkey = userkey_of(order.question.subject);
  c.ask(c.to().records, std::move(order.question), [made](call& later, project_id& which) { made(later, which); });
}

void create_project(call& c) {
  create_project(c, [](call& later, project_id made) { made ? show(later, made) : reply_ok(later); });
}

void replay_create_project(call& c, const idempotency::found_record& done) { show(c, made_by<project_id>(done)); }

void edit_project(call& c) {
  using edit = reputation::edit_project;
  change_project(c, read_command<edit>(c, [&](edit& out, parameters&, json_body& body) {
                   out.id = c.path_id<project_id>("projectId");
                   out.by = c.caller()->profile;
                   out.as_admin = c.caller()->admin_by_token();
                   out.names = read_names(body);
                   read_contents(body, out);
                   if (body.good() && empty(out))
                     body.issue("name, username, avatarUrl, description, bannerImageUrl, links, team, categories, "
                                "chains, isPromoted or showArchived is required");
                 }));
}

void archive_project(call& c) { archive_project(c, true); }
void restore_project(call& c) { archive_project(c, false); }
void replay_change_project(call& c, const idempotency::found_record&) { get_project(c); }

void list_projects(call& c) {
  const auto question = read_projects(c.given());
  if (c.given().good() && c.given().text("status") == no_project_yet)
    return reply_with_users(c, projects_answer{});
  c.ask(c.to().listings, question,
        [](call& later, listing::projects_page& found) { reply_with_users(later, projects_answer{std::move(found)}); });
}

void list_suggested_projects(call& c) {
  const auto most = c.given().integer_or("limit", limits::suggested_projects_default, {0, limits::limit_max});
  listing::get_projects question;
  question.slice = {limits::limit_max, 0};
  c.ask(c.to().listings, std::move(question), [most](call& later, listing::projects_page& found) {
    auto& all = found.projects;
    std::stable_partition(all.begin(), all.end(), [](const listing::listed& each) { return each.core->is_promoted; });
    if (all.size() > static_cast<std::size_t>(most))
      all.resize(static_cast<std::size_t>(most));
    reply_with_users(later, suggested_answer{{std::move(found)}});
  });
}

void get_project(call& c) {
  listing::get_listing question;
  question.project = c.path_id<project_id>("projectId");
  c.ask(c.to().listings, std::move(question),
        [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); });
}

void get_project_by_username(call& c) {
  listing::get_listing question;
  question.username = std::string{c.path_part("username")};
  const auto name = shown(question.username);
  c.ask(
    c.to().listings, std::move(question),
    [](call& later, listing::listed& found) { reply_with_users(later, project_answer{std::move(found)}); },
    [name](call& later, const refusal&) {
      later.refuse({refusal_code::project_not_found, "there is no project of the user " + name});
    });
}

void get_project_details(call& c) {
  auto question = read_listing(c.given(), {});
  question.project = c.path_id<project_id>("projectId");
  listing_answer answer;
  answer.in = question.in;
  auto found = co_await c.ask(c.to().listings, std::move(question));
  answer.found = std::move(found);
  if (c.caller()) {
    const profile::get_balance own{c.caller()->profile, answer.found.core->id, answer.in};
    const auto balance = co_await c.outcome_of(c.to().profiles, own);
    if (balance)
      answer.own = *balance;
  }
  reply_with_users(c, details_answer{std::move(answer)});
}

void list_project_team(call& c) {
  const auto id = c.path_id<project_id>("projectId");
  c.ask(c.to().records, reputation::get_team{id},
        [](call& later, reputation::project_team& found) { reply_with_users(later, team_answer{std::move(found)}); });
}

void get_listing_board(call& c) {
  auto question = read_listings(c.given());
  listings_answer answer;
  answer.with_sparkline = question.sparkline_days > 0;
  answer.with_deltas = !question.delta_days.empty();
  if (question.owner) {
    const auto key = parse_userkey(question.owner->userkey);
    if (!key)
      co_return c.refuse({refusal_code::invalid_input, "userkey: " + key.why().detail});
    people::find_people look{{*key}};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    const auto& who = came.people.front();
    question.owner->user = who.user;
    answer.named = who.profile;
  }
  auto found = co_await c.ask(c.to().listings, std::move(question));
  answer.found = std::move(found);
  const bool named = answer.named && !answer.found.of_somebody;
  if (named || c.caller()) {
    const profile::get_own_votes own{named ? *answer.named : c.caller()->profile, answer.found.in.id};
    auto votes = co_await c.outcome_of(c.to().profiles, own);
    answer.own.emplace(); // the listings are public: a caller who may not vote still sees them
    if (votes)
      answer.own = *std::move(votes);
  }
  reply_with_users(c, std::move(answer));
}

void get_listing(call& c) {
  auto question = read_listing(c.given(), c.path_part("username"));
  listing_answer answer;
  answer.in = question.in;
  auto found = co_await c.outcome_of(c.to().listings, std::move(question));
  if (!found && found.why().code != refusal_code::not_found)
    co_return c.refuse(found.why());
  if (!found) { // a name without a listing is an answer, not an error
    json_writer{c.out()}.null();
    co_return c.reply();
  }
  answer.found = *std::move(found);
  if (c.caller()) {
    const profile::get_balance own{c.caller()->profile, answer.found.core->id, answer.in};
    const auto balance = co_await c.outcome_of(c.to().profiles, own);
    if (balance)
      answer.own = *balance;
  }
  reply_with_users(c, std::move(answer));
}

} // namespace v2

} // namespace credence::http
