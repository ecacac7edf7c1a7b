#include "actors/reputation/record_rules.hpp"

#include "actors/domain/text.hpp"

#include <algorithm>

namespace credence::reputation {

namespace {

std::string name_of(project_id which) { return "project " + std::to_string(which.value); }

const team_member* member_of(const std::vector<team_member>& team, profile_id who) {
  const auto found =
    std::find_if(team.begin(), team.end(), [who](const team_member& each) { return each.profile == who; });
  return found == team.end() ? nullptr : &*found;
}

/// Why a team, categories and chains cannot be those of a project, if so. Whoever is in the team already may stay.
std::optional<refusal> wrong_in(const record_rows& rows, const project_details& after, const project_details& before) {
  for (const auto& each : after.team)
    if (!member_of(before.team, each.profile))
      if (const auto profile = live(rows, each.profile); !profile)
        return profile.why();
  for (const auto each : after.categories)
    if (!std::binary_search(before.categories.begin(), before.categories.end(), each) && !rows.category(each))
      return no_category(each);
  for (const auto each : after.chains)
    if (!std::binary_search(before.chains.begin(), before.chains.end(), each) && !rows.chain(each))
      return no_chain(each);
  return std::nullopt;
}

/// How a user looks once a project has named it. Whoever has a profile is named by nobody else; null: nobody knows the
/// user.
outcome<std::optional<profile_texts>> named(const record_rows& rows, const project_names& names, user_id who,
                                            const profile_texts* now) {
  if (!names.any())
    return std::optional<profile_texts>{};
  const auto* row = rows.listed(who);
  if (!now && (!row || row->profile))
    return refusal{refusal_code::forbidden,
                   "the user of the project has a profile, which alone chooses its name, username and avatarUrl"};
  if (names.username)
    if (const auto by = rows.user_named(lower_case(*names.username)); by && by != who)
      return refusal{refusal_code::username_taken, "the username " + *names.username + " is taken; choose another one"};
  auto after = now ? *now : row->texts;
  const auto before = after;
  after.display_name = names.display_name.value_or(after.display_name);
  after.avatar_url = names.avatar_url.value_or(after.avatar_url);
  if (names.username)
    after.username = names.username;
  return after == before ? std::nullopt : std::optional{after};
}

void add_parts(const std::vector<team_member>& team, const std::vector<category_id>& categories,
               const std::vector<chain_id>& chains, record_keys& to) {
  for (const auto& each : team)
    to.profiles.insert(each.profile);
  to.categories.insert(categories.begin(), categories.end());
  to.chains.insert(chains.begin(), chains.end());
}

/// Why somebody may not edit a project so, if that is the case.
std::optional<refusal> not_allowed(const record_rows& rows, const edit_project& command,
                                   const project_record& project) {
  if (command.as_admin)
    return std::nullopt;
  const auto* member = member_of(project.details.team, command.by);
  if (!member || !member->manager)
    return refusal{refusal_code::forbidden, "profile " + std::to_string(command.by.value) + " is no manager of "
                                              + name_of(project.id)
                                              + "; a manager or an admin, with an access token, may edit it"};
  if (const auto profile = live(rows, command.by); !profile)
    return profile.why();
  if (project.archived)
    return refusal{refusal_code::record_archived,
                   name_of(project.id) + " is archived; only an admin edits it, or restores it"};
  if (command.promoted || command.show_archived)
    return refusal{refusal_code::forbidden, "only an admin, with an access token, may set isPromoted or showArchived"};
  return std::nullopt;
}

project_details edited(const project_details& before, const edit_project& command) {
  return {if_any(command.description, before.description),
          if_any(command.banner_image_url, before.banner_image_url),
          command.promoted.value_or(before.promoted),
          command.show_archived.value_or(before.show_archived),
          command.links.value_or(before.links),
          command.team.value_or(before.team),
          command.categories.value_or(before.categories),
          command.chains.value_or(before.chains)};
}

} // namespace

refusal no_project(project_id which) { return {refusal_code::project_not_found, "there is no " + name_of(which)}; }

void add_keys(const create_project& command, record_keys& to) {
  to.subjects.emplace(command.subject.key, command.subject);
  to.userkeys.insert(command.userkey);
  if (const auto wallet = command.subject.key.wallet())
    to.addresses.insert(*wallet);
  if (command.names.username)
    to.usernames.insert(lower_case(*command.names.username));
  add_parts(command.details.team, command.details.categories, command.details.chains, to);
}

void add_keys(const edit_project& command, record_keys& to) {
  to.projects.insert(command.id);
  to.profiles.insert(command.by);
  if (command.names.username)
    to.usernames.insert(lower_case(*command.names.username));
  add_parts(command.team.value_or(std::vector<team_member>{}), command.categories.value_or(std::vector<category_id>{}),
            command.chains.value_or(std::vector<chain_id>{}), to);
}

void add_keys(const archive_project& command, record_keys& to) { to.projects.insert(command.id); }

outcome<decided<project_id, project_created>> decide(const record_rows& rows, const create_project& command,
                                                     const settings::people& how, timestamp now) {
  if (auto why = unsettled(rows, command.subject.key))
    return *std::move(why);
  auto subject = rows.subject_for(command.subject, how.default_avatar);
  if (const auto* other = rows.project_of(subject.user, command.userkey))
    return refusal{refusal_code::project_exists,
                   name_of(other->id) + " is of " + command.userkey + (other->archived ? ", archived" : "")};
  if (auto why = wrong_in(rows, command.details, {}))
    return *std::move(why);
  std::optional<profile_texts> fresh;
  if (subject.fresh && subject.fresh->new_user)
    fresh = profile_texts{subject.fresh->new_user->display_name, std::nullopt, subject.fresh->new_user->avatar_url,
                          std::nullopt};
  auto shown = named(rows, command.names, subject.user, fresh ? &*fresh : nullptr);
  if (!shown)
    return shown.why();
  project_created change{
    {project_id{rows.last().project.value + 1}, subject.user, command.userkey, false, command.details, now, now},
    *std::move(shown),
    std::move(subject.fresh)};
  return decided<project_id, project_created>{command.dry_run ? project_id{} : change.record.id, change};
}

outcome<decided<project_id, project_edited>> decide(const record_rows& rows, const edit_project& command,
                                                    const settings::people&, timestamp now) {
  const auto* found = rows.project(command.id);
  if (!found)
    return no_project(command.id);
  if (auto why = not_allowed(rows, command, *found))
    return *std::move(why);
  auto after = *found;
  after.details = edited(found->details, command);
  if (auto why = wrong_in(rows, after.details, found->details))
    return *std::move(why);
  auto shown = named(rows, command.names, found->user, nullptr);
  if (!shown)
    return shown.why();
  decided<project_id, project_edited> out{command.id, std::nullopt};
  if (after.details == found->details && !*shown)
    return out;
  after.updated_at = std::max(now, found->updated_at); // a clock that was set back must not undo an edit's moment
  out.change = project_edited{std::move(after), *std::move(shown)};
  return out;
}

outcome<decided<project_id, project_archived>> decide(const record_rows& rows, const archive_project& command,
                                                      const settings::people&, timestamp now) {
  const auto* found = rows.project(command.id);
  if (!found)
    return no_project(command.id);
  decided<project_id, project_archived> out{command.id, std::nullopt};
  if (found->archived != command.archived)
    out.change = project_archived{command.id, command.archived, std::max(now, found->updated_at)};
  return out;
}

} // namespace credence::reputation
