#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/listing/listing_parts.hpp"
#include "actors/people/user_types.hpp"
#include "actors/period/period_types.hpp"
#include "actors/project/project_types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The board of listings: what each project is, and their ranking by votes.
namespace credence::listing {

/// Everything about a listing but its votes.
struct listing_core {
  project_id id;
  std::string userkey;
  bool archived = false;
  std::optional<std::string> banner_image_url;
  bool is_promoted = false;
  bool show_archived = false;
  std::optional<std::string> description;
  timestamp created_at{};
  timestamp updated_at{};
  people::user_ptr user; // the project's own user; null: its block was taken back, and it is not shown
  std::vector<category> categories;
  std::vector<chain> chains;
  std::vector<link> links;
  std::vector<profile_id> team;
  std::int64_t comment_count = 0;
};
using core_ptr = std::shared_ptr<const listing_core>;

// -- questions ----------------------------------------------------------------

/// Shared with what the project has published, so that a page copies none of it.
using votes_ptr = std::shared_ptr<const project::project_summary>;
/// The votes of a project that has none.
inline const votes_ptr& no_votes() {
  static const auto none = std::make_shared<const project::project_summary>();
  return none;
}

struct listed {
  listed() = default;
  explicit listed(core_ptr of, votes_ptr its = nullptr)
    : core(std::move(of)), votes(its ? std::move(its) : no_votes()) {}

  core_ptr core;
  votes_ptr votes = no_votes(); // never null
};
struct mover {
  core_ptr core;
  double percentage_point_change = 0; // of the bullish share, over topMoversDays
};
struct listings_page {
  period::voting_period in;
  std::vector<listed> projects;          // ACTIVE, ranked, the page asked for
  std::vector<listed> archived_projects; // ARCHIVED with showArchived, ranked, first `limit`
  std::int64_t total = 0;                // ACTIVE projects that match
  bool of_somebody = false;              // those of the person asked for alone
  std::vector<mover> top_movers;         // greatest absolute change first
};

/// Whose listings are asked for: by a key as it is written at a listing, or by whom the key leads to.
struct listing_owner {
  std::string userkey;
  user_id user = {}; // 0: nobody known
};

/// Spec: `GET /internal/listings`. Somebody who is known and has no listing does not narrow the page.
struct get_listings {
  using answer_type = listings_page;
  std::optional<listing_owner> owner;
  period::period_name in;
  std::int32_t top_movers_days = 1;
  std::int32_t sparkline_days = 0; // 0: not asked for
  std::vector<std::int32_t> delta_days;
  page slice;
};

/// One listing: that of a username, or the project named. Refused with `not_found`, or `project_not_found` where a
/// project is named. Spec: `GET /internal/listings/{username}`.
struct get_listing {
  using answer_type = listed;
  std::string username;
  period::period_name in;
  std::int32_t top_voters = 3;
  std::optional<project_id> project = {};
};

/// A page of the listings of one status, ranked as on the board; archived ones only where they are shown.
struct projects_page {
  std::vector<listed> projects;
  std::int64_t total = 0; // over all pages
};
struct get_projects {
  using answer_type = projects_page;
  bool archived = false;
  page slice;
};

// -- one-way ------------------------------------------------------------------

/// A project's tallies after a commit; later `through` wins. The first one after a load may leave
/// out what was stored before it.
struct tally_report {
  project_id project;
  entity_seq through = 0;
  std::vector<project::day_tally> days; // the days and periods that changed, absolute figures
  std::vector<project::period_tally> periods;
};

/// What is stored of these has changed: they are read again, and so are those that have waited for a block up to
/// `settled`. Answered when the board shows it and votes go by it, or when it cannot be read now.
struct looked_again {};
struct invalidate {
  using answer_type = looked_again;
  std::vector<project_id> projects;
  std::int64_t settled = 0;
};

// -- loading ------------------------------------------------------------------

/// Listings with ids above `after`, in order of ids; or those named.
struct load_listings {
  project_id after;
  std::int32_t most = 0;
  std::string changed_since = {};                         // their `as_of`; empty: all there are
  std::optional<std::chrono::sys_days> tallies_from = {}; // with tallies: of all periods, and of days from here on
  std::vector<project_id> named = {};                     // these alone, whatever else is asked for
};
struct stored_listing {
  core_ptr core;
  unsettled_block unsettled = {};
  entity_seq tallied_through = 0;       // last vote the stored tallies include
  entity_seq last_vote = 0;             // last vote there is; greater: tallies are behind
  std::vector<project::day_tally> days; // in order of days; weights alone count
  std::vector<project::period_tally> periods;
};
struct stored_listings {
  std::vector<stored_listing> listings;
  bool last = true;  // there are no more
  std::string as_of; // what is changed later is changed since this
};

} // namespace credence::listing
