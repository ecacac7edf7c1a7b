#include "http/api/projects/project_orders.hpp"

#include "http/call/name_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

namespace credence::http::v2 {

namespace {

using reputation::team_member;

people::lookup_key read_userkey(json_body& body) {
  const auto text = body.text("userkey");
  if (!text) {
    if (body.good())
      body.issue("userkey is required: whom the project is of, such as service:x.com:<id> or address:0x…");
    return {};
  }
  auto key = parse_userkey(*text);
  if (!key) {
    body.issue("userkey: " + key.why().detail);
    return {};
  }
  if (key->how == people::lookup_key::form::address && key->text.find_first_not_of('\0') == std::string::npos)
    body.issue("userkey must not be the zero address, which is nobody's");
  return *std::move(key);
}

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

std::optional<std::string> unless_empty(std::optional<std::string> text) {
  return text && !text->empty() ? std::move(text) : std::nullopt;
}

} // namespace

project_order read_new_project(json_body& body) {
  project_order out;
  auto& question = out.question;
  out.whose = read_userkey(body);
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

outcome<project_order> read_project_order(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  auto out = read_new_project(*body);
  out.question.names = read_names(*body);
  out.question.dry_run = read_dry_run(given);
  return checked(given, *body, std::move(out));
}

outcome<reputation::edit_project> read_project_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reputation::edit_project out;
  out.id = given.path_id<project_id>("projectId", c.path_part("projectId"));
  out.by = c.caller()->profile;
  out.as_admin = c.caller()->admin_by_token();
  out.dry_run = read_dry_run(given);
  out.names = read_names(*body);
  read_contents(*body, out);
  if (body->good() && empty(out))
    body->issue("name, username, avatarUrl, description, bannerImageUrl, links, team, categories, chains, isPromoted "
                "or showArchived is required");
  return checked(given, *body, std::move(out));
}

listing::get_projects read_projects(parameters& from) {
  constexpr std::array<std::string_view, 2> words{"ACTIVE", "ARCHIVED"};
  listing::get_projects out;
  out.archived = from.choice("status", words) == 1u;
  out.slice = read_page(from);
  return out;
}

} // namespace credence::http::v2
