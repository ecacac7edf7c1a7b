#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Joining: profiles, their addresses, invitations. All that change a profile answer everything about its person, as
/// `GET /api/v2/internal/users/{userkey}` does; with `dryRun=true` they are decided, and answer `{"ok":true}`.
namespace credence::http::v2 {

/// POST /api/v2/profiles/create: `{address, inviter?}` of an admin, or `{message, signature, inviter?}`
void post_profile(call& c);
/// PATCH /api/v2/profiles/me: `{displayName?, username?, avatarUrl?, description?}`
void patch_own_profile(call& c);
/// POST /api/v2/profiles/{id}/archive and /restore
void post_profile_archive(call& c);
void post_profile_restore(call& c);
/// POST /api/v2/addresses/link: `{message, signature}`
void post_address_link(call& c);
/// POST /api/v2/addresses/unlink: `{address}`
void post_address_unlink(call& c);
/// Of all of these: the person as it is now.
void replay_change_profile(call& c, const idempotency::found_record& done);

/// POST /api/v2/invitations: `{address}`
void post_invitation(call& c);
/// POST /api/v2/invitations/cancel: `{id}`
void post_invitation_cancel(call& c);
void replay_change_invitation(call& c, const idempotency::found_record& done);

/// POST /api/v2/profiles: those that match.
void post_profile_query(call& c);
/// GET /api/v2/profiles/recent: live ones, the newest first.
void get_recent_profiles(call& c);
/// GET /api/v2/profiles/stats
void get_profile_stats(call& c);
/// GET /api/v2/invitations, the newest first, and /pending/{address}: open ones to an address.
void get_invitations(call& c);
void get_pending_invitations(call& c);
/// GET /api/v2/invitations/check: whether the caller may invite `address`.
void get_invitation_check(call& c);
/// GET /api/v2/invitations/accepted/{id}/tree: whom a profile has invited, and whom they have.
void get_invitation_tree(call& c);

} // namespace credence::http::v2

namespace credence::http::v1 {

/// GET /api/v1/users/{userkey}/stats: reviews and vouches in figures.
void get_user_stats(call& c);

} // namespace credence::http::v1
