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
void again_change_profile(call& c, const idempotency::found_record& done);

/// POST /api/v2/invitations: `{address}`
void post_invitation(call& c);
/// POST /api/v2/invitations/cancel: `{id}`
void post_invitation_cancel(call& c);
void again_change_invitation(call& c, const idempotency::found_record& done);

} // namespace credence::http::v2
