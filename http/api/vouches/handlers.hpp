#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Vouches. With `dryRun=true` a write is decided and answered without effect.
namespace credence::http::v2 {

/// POST /api/v2/vouches/create: `{subject, amount, unit?, comment?, metadata?}`
void post_vouch(call& c);
void replay_post_vouch(call& c, const idempotency::found_record& done);
/// GET /api/v2/vouches/{id}
void get_vouch(call& c);
/// POST /api/v2/vouches/{id}/increase and /decrease: `{amount, unit?}`
void post_vouch_increase(call& c);
void post_vouch_decrease(call& c);
/// POST /api/v2/vouches/{id}/withdraw
void post_vouch_withdraw(call& c);
/// POST /api/v2/vouches/{id}/unhealthy
void post_vouch_unhealthy(call& c);
/// Of all that change a vouch: as it is now.
void replay_change_vouch(call& c, const idempotency::found_record&);

/// POST /api/v2/vouches: those that match.
void post_vouch_query(call& c);
/// GET /api/v2/vouches/mutual-vouchers: `viewerUserkey`, `targetUserkey`
void get_mutual_vouchers(call& c);
/// GET /api/v2/vouches/fees: there are none.
void get_vouch_fees(call& c);

} // namespace credence::http::v2

namespace credence::http::v1 {

/// POST /api/v1/vouches: as in version 2, amounts as `"<wei>n"`.
void post_vouch_query(call& c);

} // namespace credence::http::v1
