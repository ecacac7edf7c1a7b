#pragma once

#include "http/api/declare.hpp"
#include "http/api/profiles/handlers.hpp"

#include <array>

namespace credence::http::declare {

/// A POST of whoever signs, or of an admin, that may be tried without effect.
constexpr route joins(std::string_view path, handler run) {
  auto out = signs(path, run, idempotency_keeper::by_handler);
  out.dry_runs = true;
  return out;
}

inline constexpr std::array profile_routes{
  a_day(joins("/api/v2/profiles/create", v2::post_profile), daily_act::by_rules),
  a_day(edits_record("/api/v2/profiles/me", v2::patch_own_profile, v2::replay_change_profile),
        daily_act::profile_edits),
  a_day(by_owner(records("/api/v2/profiles/{id}/archive", v2::post_profile_archive, v2::replay_change_profile)),
        daily_act::record_edits),
  a_day(by_owner(records("/api/v2/profiles/{id}/restore", v2::post_profile_restore, v2::replay_change_profile)),
        daily_act::record_edits),
  a_day(by_owner(records("/api/v2/addresses/link", v2::post_address_link, v2::replay_change_profile)),
        daily_act::links),
  a_day(by_owner(records("/api/v2/addresses/unlink", v2::post_address_unlink, v2::replay_change_profile)),
        daily_act::links),
  a_day(records("/api/v2/invitations", v2::post_invitation, v2::replay_change_invitation), daily_act::invitations),
  a_day(records("/api/v2/invitations/cancel", v2::post_invitation_cancel, v2::replay_change_invitation),
        daily_act::invitations),
  asks("/api/v2/profiles", v2::post_profile_query),
  reads("/api/v2/profiles/recent", v2::get_recent_profiles),
  reads("/api/v2/profiles/stats", v2::get_profile_stats),
  reads("/api/v2/invitations", v2::get_invitations),
  reads_own("/api/v2/invitations/check", v2::get_invitation_check),
  reads("/api/v2/invitations/pending/{address}", v2::get_pending_invitations),
  reads("/api/v2/invitations/accepted/{id}/tree", v2::get_invitation_tree),
  reads("/api/v1/users/{userkey}/stats", v1::get_user_stats),
};

} // namespace credence::http::declare
