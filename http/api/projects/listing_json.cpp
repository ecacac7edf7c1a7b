#include "http/api/projects/listing_json.hpp"

#include "http/api/projects/vote_json.hpp"

#include <unordered_map>

namespace credence::http {

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

void encode_history(json_writer& to, const vote_history& history) {
  to.begin_object();
  to.field("bullishVotesCast", history.bullish);
  to.field("bearishVotesCast", history.bearish);
  to.end_object();
}

/// Profiles without a user are left out.
void encode_users(json_writer& to, const std::vector<profile_id>& who, user_cards& users) {
  to.begin_array();
  for (const auto each : who)
    users.write(to, each);
  to.end_array();
}

void encode_side(json_writer& to, const project::side_summary& side, user_cards& users) {
  to.begin_object();
  to.key("topVoters");
  encode_users(to, side.top_voters, users);
  to.field("total", side.total);
  to.field("uniqueVoters", side.unique_voters);
  to.end_object();
}

void encode_sides(json_writer& to, const project::votes_block& block, user_cards& users) {
  to.key("bullish");
  encode_side(to, block.bullish, users);
  to.key("bearish");
  encode_side(to, block.bearish, users);
}

/// Members `bullish`, `bearish` and `all` of an open object.
void encode_block(json_writer& to, const project::votes_block& block, user_cards& users) {
  encode_sides(to, block, users);
  to.key("all");
  to.begin_object();
  to.field("total", block.total);
  to.field("uniqueVoters", block.unique_voters);
  to.end_object();
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
  to.key("categories");
  to.begin_array();
  for (const auto& each : core.categories) {
    to.begin_object();
    to.field("id", each.id);
    to.field("name", each.name);
    to.field("slug", each.slug);
    to.field("description", each.description);
    to.end_object();
  }
  to.end_array();
  to.key("chains");
  to.begin_array();
  for (const auto& each : core.chains) {
    to.begin_object();
    to.field("id", each.id);
    to.field("name", each.name);
    to.field("url", each.url);
    to.field("iconUrl", each.icon_url);
    to.end_object();
  }
  to.end_array();
  to.field("commentCount", core.comment_count);
}

void encode_links(json_writer& to, const listing::listing_core& core) {
  to.key("links");
  to.begin_array();
  for (const auto& each : core.links) {
    to.begin_object();
    to.field("type", listing::link_type_names[static_cast<std::size_t>(each.type)]);
    to.field("url", each.url);
    to.end_object();
  }
  to.end_array();
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
  to.begin_array();
  for (const auto& each : points) {
    to.begin_object();
    to.field("date", std::string_view{iso_text(timestamp{each.day})}.substr(0, 10));
    to.field("bullishPercent", each.bullish_percent);
    to.end_object();
  }
  to.end_array();
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
  to.begin_object();
  write_core(to, row.core, users);
  to.key("votes");
  to.begin_object();
  encode_block(to, row.votes->in_period, users);
  to.key("lifetime");
  to.begin_object();
  encode_block(to, row.votes->lifetime, users);
  to.end_object();
  to.end_object();
  write_surroundings(to, row.core, users);
  if (own) {
    const auto found = own->find(row.core->id);
    to.key("currentUserVoteHistory");
    encode_history(to, found == own->end() ? vote_history{} : found->second);
  }
  if (query.with_sparkline) {
    to.key("sparkline");
    encode_sparkline(to, row.votes->sparkline);
  }
  if (query.with_deltas) {
    to.key("deltas");
    encode_deltas(to, row.votes->deltas);
  }
  to.end_object();
}

void encode_mover(json_writer& to, const listing::mover& mover, user_cards& users) {
  to.begin_object();
  write_core(to, mover.core, users);
  write_surroundings(to, mover.core, users);
  write_links(to, mover.core, users);
  to.field("percentagePointChange", mover.percentage_point_change);
  to.end_object();
}

void encode_project_members(json_writer& to, const listing::listed& row, user_cards& users) {
  write_core(to, row.core, users);
  to.key("votes");
  to.begin_object();
  encode_block(to, row.votes->in_period, users);
  to.end_object();
  write_surroundings(to, row.core, users);
  write_links(to, row.core, users);
}

void encode_project(json_writer& to, const listing::listed& row, user_cards& users) {
  to.begin_object();
  encode_project_members(to, row, users);
  to.end_object();
}

/// What the caller has said and may still say of a project, if there is a caller.
void encode_own(json_writer& to, const std::optional<profile::balance_view>& own) {
  if (!own)
    return;
  vote_history history;
  if (own->vote)
    add(history, *own->vote);
  to.key("currentUsersVotes");
  to.begin_object();
  to.key("balance");
  encode(to, own->balance);
  to.key("projectHistory");
  encode_history(to, history);
  to.end_object();
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

void encode(json_writer& to, const listings_answer& answer, user_cards& users) {
  const auto own = by_project(answer);
  to.begin_object();
  to.key("projects");
  to.begin_array();
  for (const auto& each : answer.found.projects)
    encode_row(to, each, answer, answer.own ? &own : nullptr, users);
  to.end_array();
  to.key("archivedProjects");
  to.begin_array();
  for (const auto& each : answer.found.archived_projects)
    encode_row(to, each, answer, nullptr, users);
  to.end_array();
  to.field("total", answer.found.total);
  to.key("topMovers");
  to.begin_array();
  for (const auto& each : answer.found.top_movers)
    encode_mover(to, each, users);
  to.end_array();
  to.end_object();
}

void encode(json_writer& to, const listing_answer& answer, user_cards& users) {
  const auto& core = *answer.found.core;
  const auto& block = answer.found.votes->in_period;
  to.begin_object();
  to.key("project");
  to.begin_object();
  write_core(to, answer.found.core, users);
  write_surroundings(to, answer.found.core, users);
  write_links(to, answer.found.core, users);
  to.end_object();

  to.key("topVoters");
  to.begin_object();
  encode_sides(to, block, users);
  to.key("all");
  encode_side(to, {block.top_voters, block.total, block.unique_voters}, users);
  to.end_object();

  encode_own(to, answer.own);
  to.key("team");
  encode_users(to, core.team, users);
  to.end_object();
}

void encode(json_writer& to, const details_answer& answer, user_cards& users) {
  to.begin_object();
  encode_project_members(to, answer.listing.found, users);
  encode_own(to, answer.listing.own);
  to.key("team");
  encode_users(to, answer.listing.found.core->team, users);
  to.end_object();
}

void encode(json_writer& to, const project_answer& answer, user_cards& users) {
  encode_project(to, answer.found, users);
}

namespace {

void encode_projects(json_writer& to, const listing::projects_page& found, user_cards& users) {
  to.begin_array();
  for (const auto& each : found.projects)
    encode_project(to, each, users);
  to.end_array();
}

} // namespace

void encode(json_writer& to, const suggested_answer& answer, user_cards& users) {
  encode_projects(to, answer.found, users);
}

void encode(json_writer& to, const projects_answer& answer, user_cards& users) {
  to.begin_object();
  to.key("projects");
  encode_projects(to, answer.found, users);
  to.field("total", answer.found.total);
  to.end_object();
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

} // namespace credence::http
