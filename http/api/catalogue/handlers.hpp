#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Categories and chains that projects are filed under. Those called `replay_…` answer a request whose effect is there
/// but was never answered; with `dryRun=true` a write is decided and answered without effect.
namespace credence::http::v2 {

/// GET /api/v2/categories
void get_categories(call& c);
/// GET /api/v2/categories/{id}
void get_category(call& c);
/// GET /api/v2/categories/{id}/users
void get_category_users(call& c);
/// GET /api/v2/users/{userkey}/categories
void get_user_categories(call& c);
/// POST /api/v2/categories/create: `{name, slug, description?, bannerImageUrl?, showOnLeaderboard?,
/// showInDailyService?}`
void post_category(call& c);
void replay_post_category(call& c, const idempotency::found_record& done);
/// PATCH /api/v2/categories/{id}: any of these
void patch_category(call& c);
void replay_patch_category(call& c, const idempotency::found_record&);
/// GET /api/v2/chains
void get_chains(call& c);
/// POST /api/v2/chains/create: `{name, url?, iconUrl?}`
void post_chain(call& c);
void replay_post_chain(call& c, const idempotency::found_record& done);
/// PATCH /api/v2/chains/{id}: any of these
void patch_chain(call& c);
void replay_patch_chain(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
