#pragma once

#include "http/admin/declare.hpp"
#include "http/admin/records/handlers.hpp"

#include <array>

namespace credence::http::admin::declare {

inline constexpr std::array record_routes{
  viewer_reads("/admin/api/v1/people", get_people),
  viewer_reads("/admin/api/v1/people/{profileId}", get_person),
  operator_writes("/admin/api/v1/people/{profileId}/api-access", put_api_access, method::put),
  admin_writes_once("/admin/api/v1/people/{profileId}/credit", post_credit, replay_credit),
  admin_writes_once("/admin/api/v1/people/{profileId}/xp-grants", post_grant, replay_grant),
  admin_writes("/admin/api/v1/people/{profileId}/merge", post_merge),
  viewer_reads("/admin/api/v1/projects", get_projects),
  admin_writes_or_tries("/admin/api/v1/projects", post_project),
  viewer_watches("/admin/api/v1/projects/{projectId}", get_project, "project:{projectId}"),
  viewer_reads("/admin/api/v1/projects/{projectId}/chart", get_project_chart),
  admin_writes_or_tries("/admin/api/v1/projects/{projectId}/archive", post_project_archive),
  admin_writes_or_tries("/admin/api/v1/projects/{projectId}/restore", post_project_restore),
  viewer_reads("/admin/api/v1/markets", get_markets),
  viewer_watches("/admin/api/v1/markets/{profileId}", get_market, "market:{profileId}"),
  viewer_reads("/admin/api/v1/markets/{profileId}/chart", get_market_chart),
  admin_writes("/admin/api/v1/markets/{profileId}/frozen", put_market_frozen, method::put),
  viewer_reads("/admin/api/v1/slashes", get_slashes),
  admin_writes("/admin/api/v1/slashes/{slashId}/cancel", post_slash_cancel),
};

} // namespace credence::http::admin::declare
