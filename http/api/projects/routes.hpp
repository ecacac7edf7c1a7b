#pragma once

#include "http/api/declare.hpp"
#include "http/api/projects/handlers.hpp"

#include <array>

namespace credence::http::declare {

inline constexpr std::array project_routes{
  a_day(writes("/api/v2/projects/{projectId}/votes", scope::vote, v2::post_project_vote, v2::replay_post_project_vote,
               {.dry_runs = true}),
        daily_act::by_rules),
  reads_own("/api/v2/projects/votes/balance", v2::get_vote_balance),
  reads("/api/v2/projects/{projectId}/voters", v2::get_voters),
  admin("/api/v2/projects/votes/reallocate", v2::post_reallocate, v2::replay_post_reallocate),
  reads("/api/v2/projects/votes/bulk-totals", v2::get_bulk_totals),
  reads("/api/v2/projects/{projectId}/chart", v2::get_chart),

  admin_records("/api/v2/projects/create", v2::post_project, v2::replay_post_project),
  a_day(edits_record("/api/v2/projects/{projectId}", v2::patch_project, v2::replay_change_project),
        daily_act::record_edits),
  admin_records("/api/v2/projects/{projectId}/archive", v2::post_project_archive, v2::replay_change_project),
  admin_records("/api/v2/projects/{projectId}/restore", v2::post_project_restore, v2::replay_change_project),
  reads("/api/v2/projects", v2::get_projects),
  reads("/api/v2/projects/{projectId}", v2::get_project),
  reads("/api/v2/projects/suggested", v2::get_suggested_projects),
  reads("/api/v2/projects/username/{username}", v2::get_project_by_username),
  reads_by_caller("/api/v2/projects/{projectId}/details", v2::get_project_details),
  reads("/api/v2/projects/{projectId}/team", v2::get_project_team),

  // Listings
  reads_by_caller("/api/v2/internal/listings", v2::get_listings),
  reads_by_caller("/api/v2/internal/listings/{username}", v2::get_listing),
};

} // namespace credence::http::declare
