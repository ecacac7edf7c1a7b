#pragma once

#include "actors/reputation/catalogue_types.hpp"
#include "actors/reputation/join_types.hpp"

/// What a project says of itself: everything of a listing but its votes, which its own actor has (actors/project/).
namespace credence::reputation {

/// Who works on a project. A manager may edit it.
struct team_member {
  profile_id profile;
  std::optional<std::string> role;
  bool manager = false;
  friend bool operator==(const team_member&, const team_member&) = default;
};

/// What may be edited.
struct project_details {
  std::optional<std::string> description;
  std::optional<std::string> banner_image_url;
  bool promoted = false;
  bool show_archived = false;
  std::vector<listing::link> links;    // in the order shown
  std::vector<team_member> team;       // in order of profiles, each once
  std::vector<category_id> categories; // ascending, each once
  std::vector<chain_id> chains;        // likewise
  friend bool operator==(const project_details&, const project_details&) = default;
};

struct project_record {
  project_id id;
  user_id user;
  std::string userkey; // of its user, as it was when the project was made
  bool archived = false;
  project_details details;
  timestamp created_at{};
  timestamp updated_at{};
};

/// The user that is, or is to be, listed. Whoever has a profile names themselves; else the project does.
struct listed_user {
  user_id user;
  profile_id profile = {}; // 0: none
  profile_texts texts;
};

/// Names for the user of a project; those that are absent stay.
struct project_names {
  std::optional<std::string> display_name;
  std::optional<std::string> username; // letters, digits and underscores of ASCII
  std::optional<std::string> avatar_url;
  bool any() const noexcept { return display_name || username || avatar_url; }
};

// -- questions ----------------------------------------------------------------

/// A project of a wallet or an account, by an admin. A subject that is nobody's becomes a user. Refused with
/// `project_exists`, `username_taken`, `forbidden` (names for somebody with a profile), `not_found` (a category, a
/// chain) or `profile_not_live` (a member of the team).
struct create_project {
  using answer_type = project_id; // 0: of a dry run
  named_subject subject;
  std::string userkey; // that names the subject
  project_names names;
  project_details details; // lists sorted, each item once
  bool dry_run = false;
};

/// New contents of a project, by an admin or a manager of it (a live profile); what is absent stays, a list is replaced
/// as a whole. Only an admin promotes a project, shows it as archived, or edits it while it is archived. Refused with
/// `project_not_found`, `forbidden`, `profile_not_live`, `record_archived`, `username_taken` or `not_found`.
struct edit_project {
  using answer_type = project_id;
  project_id id;
  profile_id by;
  bool as_admin = false;
  project_names names;
  std::optional<std::string> description;      // empty: none
  std::optional<std::string> banner_image_url; // empty: none
  std::optional<bool> promoted;
  std::optional<bool> show_archived;
  std::optional<std::vector<listing::link>> links;
  std::optional<std::vector<team_member>> team;
  std::optional<std::vector<category_id>> categories;
  std::optional<std::vector<chain_id>> chains;
  bool dry_run = false;
};

/// Archives or restores a project, by an admin; where that changes nothing, the answer is the same. Refused with
/// `project_not_found`.
struct archive_project {
  using answer_type = project_id;
  project_id id;
  bool archived = true; // false: restore
  bool dry_run = false;
};

/// Who works on a project; refused with `project_not_found`.
struct project_team {
  std::vector<team_member> members; // in order of profiles
};
struct get_team {
  using answer_type = project_team;
  project_id id;
};

// -- changes ------------------------------------------------------------------

struct project_created {
  project_record record;
  std::optional<profile_texts> shown;   // of its user, where the project names it
  std::optional<fresh_subject> subject; // that comes with it
};
struct project_edited {
  project_record record; // as it is from now on
  std::optional<profile_texts> shown;
};
struct project_archived {
  project_id id;
  bool archived = true; // false: restored
  timestamp at{};
};

} // namespace credence::reputation
