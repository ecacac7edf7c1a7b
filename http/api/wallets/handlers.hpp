#pragma once

#include "actors/idempotency/idempotency_types.hpp"
#include "http/call/call.hpp"

/// Managed wallets: what pages of partners do for a user who has let them, and how they are let. Those called
/// `replay_…` answer a request whose effect is there but was never answered; with `dryRun=true` an action is tried
/// without effect.
namespace credence::http::v2 {

// Actions. `hash` of their answers is that of the transaction; where no chain is followed it stands for one.

/// POST /api/v2/wallets/managed/post/review: `{subject, score, title, content?, metadata?}`
void post_managed_review(call& c);
void replay_managed_review(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/managed/post/review/by-address: `address` in place of `subject`
void post_managed_review_by_address(call& c);
void replay_managed_review_by_address(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/managed/post/review/by-x: `x: {id}`, `x: {username}` or `accountIdOrUsername`
void post_managed_review_by_x(call& c);
void replay_managed_review_by_x(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/managed/edit/review: `{reviewId, title?, content?, metadata?}`
void post_managed_review_edit(call& c);
void replay_managed_review_edit(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/activity/review/{id}/archive
void post_managed_review_archive(call& c);
void replay_managed_review_archive(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/activity/{type}/{id}/vote: `{isUpvote, isArchive?}`
void post_managed_vote(call& c);
void replay_managed_vote(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/activity/{type}/{id}/reply: `{content, metadata?}`
void post_managed_reply(call& c);
void replay_managed_reply(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/managed/invite/address and /invite/cancel: `{invitee}`
void post_managed_invite(call& c);
void replay_managed_invite(call& c, const idempotency::found_record& done);
void post_managed_uninvite(call& c);
void replay_managed_uninvite(call& c, const idempotency::found_record& done);
/// POST /api/v2/wallets/managed/bonds, and /api/v2/wallets/activity/bond/{id}/archive
void post_managed_bond(call& c);
void replay_managed_bond(call& c, const idempotency::found_record& done);
void post_managed_bond_archive(call& c);
void replay_managed_bond_archive(call& c, const idempotency::found_record& done);

// What a page may know.

/// GET /api/v2/wallets/managed/auth-check: refreshes the session where that is needed
void get_managed_auth_check(call& c);
/// DELETE /api/v2/wallets/managed/session: signs the user out of this page
void delete_managed_session(call& c);
void replay_delete_managed_session(call& c, const idempotency::found_record&);
/// GET /api/v2/wallets/funds-check
void get_funds_check(call& c);
/// GET /api/v2/wallets/managed/transactions
void get_managed_transactions(call& c);

// For the user, on pages of this service.

/// GET /api/v2/wallets/managed/partners
void get_partners(call& c);
/// POST /api/v2/wallets/managed/partners: `{origin, enabled?}`, and DELETE with `origin`
void post_partner(call& c);
void delete_partner(call& c);
void replay_switch_partner(call& c, const idempotency::found_record& done);
/// GET /api/v2/wallets/managed/partners/actions: what a partner did, `origin`
void get_partner_actions(call& c);
/// GET /api/v2/wallets/managed/partners/sign-in: the page where a user lets a partner in
void get_partner_sign_in(call& c);
/// POST /api/v2/wallets/managed/partners/codes: `{origin}`
void post_partner_code(call& c);
void replay_post_partner_code(call& c, const idempotency::found_record&);
/// POST /api/v2/wallets/managed/partners/token: `{code}`, by the partner's page
void post_partner_token(call& c);
/// POST /api/v2/wallets/managed/export: `{passphrase}`
void post_wallet_export(call& c);
void replay_post_wallet_export(call& c, const idempotency::found_record&);

} // namespace credence::http::v2
