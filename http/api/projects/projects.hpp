#pragma once

#include "actors/listing/listing_types.hpp"
#include "actors/period/period_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/project/project_types.hpp"
#include "actors/reputation/project_record_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/call.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"

#include <optional>
#include <vector>

namespace credence::http {

namespace v2 {

// What requests that make, edit and list projects ask for, read from their bodies, paths and queries.

/// A project on its way: whom its userkey names may have to be looked up first.
struct project_order {
  reputation::create_project question;
  people::lookup_key whose;
};
/// All but the names of its user, read from a body, to which mistakes go.
project_order read_new_project(json_body& body);
/// Creates the project that the request describes, then calls `made` with its id, or with 0 after a dry run.
void create_project(call& c, void (*made)(call&, project_id));

/// `status` (ACTIVE by default, ARCHIVED), `limit`, `offset`.
listing::get_projects read_projects(parameters& from);

} // namespace v2

// Answers of `/api/v2/internal/listings` and `/internal/listings/{username}` (spec: "Listing project"), and of
// `/api/v2/projects`, as JSON.

/// A page of listings with what was asked for about it.
struct listings_answer {
  listing::listings_page found;
  bool with_sparkline = false;
  bool with_deltas = false;
  /// Whom the userkey asked for names.
  std::optional<profile_id> named = {};
  /// The viewer's votes: of whom is named, if that does not name the listings; else of who is signed in.
  std::optional<std::vector<profile::own_vote>> own = {};

  std::size_t size_hint() const noexcept;
};
void encode_members(json_writer& to, const listings_answer& answer, user_cards& users);

/// One listing with what was asked for about it.
struct listing_answer {
  listing::listed found;
  period::period_name in;
  /// The caller's balance and vote in that period; set when somebody is signed in.
  std::optional<profile::balance_view> own;

  std::size_t size_hint() const noexcept { return 16384; }
};
void encode_members(json_writer& to, const listing_answer& answer, user_cards& users);

/// The same as `/api/v2/projects/{projectId}/details` shows it: the project itself, `currentUsersVotes` and `team`.
struct details_answer {
  listing_answer listing;
  std::size_t size_hint() const noexcept { return listing.size_hint(); }
};
void encode_members(json_writer& to, const details_answer& answer, user_cards& users);

/// One project as everybody sees it: the listing with the votes of the open period, and its links.
struct project_answer {
  listing::listed found;
  std::size_t size_hint() const noexcept { return 8192; }
};
void encode_members(json_writer& to, const project_answer& answer, user_cards& users);

/// `{projects, total}`.
struct projects_answer {
  listing::projects_page found;
  std::size_t size_hint() const noexcept { return 1024 + found.projects.size() * 8192; }
};
void encode_members(json_writer& to, const projects_answer& answer, user_cards& users);

/// The same projects alone.
struct suggested_answer : projects_answer {};
void encode(json_writer& to, const suggested_answer& answer, user_cards& users);

/// A list of users, each with `role` and `isManager`; who is no more is left out.
struct team_answer {
  reputation::project_team found;
  std::size_t size_hint() const noexcept { return 256 + found.members.size() * 1536; }
};
void encode(json_writer& to, const team_answer& answer, user_cards& users);

// Answers of the endpoints under `/api/v2/projects` as JSON (spec: "Project votes").

void encode_members(json_writer& to, const profile::vote_balance& balance);
void encode_members(json_writer& to, const project::vote_receipt& receipt);
void encode_members(json_writer& to, const profile::balance_view& view);
void encode_members(json_writer& to, const period::allocation& allocation);
void encode_members(json_writer& to, const std::vector<project::profile_totals>& totals);
void encode(json_writer& to, const std::vector<project::chart_point>& points);

/// A page of voters with the slice it answers.
struct voters_answer {
  project::voters_page found;
  page slice;

  /// Enough room for the text, so that it grows once.
  std::size_t size_hint() const noexcept { return 512 + found.entries.size() * 1536; }
};
/// A voter without a user has `user: null`.
void encode_members(json_writer& to, const voters_answer& answer, user_cards& users);

} // namespace credence::http
