#pragma once

#include "http/api/declare.hpp"
#include "http/api/wallets/handlers.hpp"

#include <array>

namespace credence::http::declare {

/// A POST of a partner's page that writes a record, or sends a transaction.
constexpr route acts(std::string_view path, handler run, replay_handler replay) {
  auto traits = of_record;
  traits.quota = quota_class::wallet;
  auto out = by_partner(writes(path, scope::none, run, replay, traits));
  out.needs_grant = true;
  out.a_day = daily_act::by_rules; // of wallets: wallets.signatures_per_day
  return out;
}

inline constexpr std::array wallet_routes{
  by_partner(reads("/api/v2/wallets/managed/auth-check", v2::get_managed_auth_check)),
  a_day(by_partner(deletes("/api/v2/wallets/managed/session", scope::none, v2::delete_managed_session,
                           v2::replay_delete_managed_session)),
        daily_act::by_rules),
  by_partner(reads_own("/api/v2/wallets/funds-check", v2::get_funds_check)),
  by_partner(reads_own("/api/v2/wallets/managed/transactions", v2::get_managed_transactions)),
  acts("/api/v2/wallets/managed/post/review", v2::post_managed_review, v2::replay_managed_review),
  acts("/api/v2/wallets/managed/post/review/by-address", v2::post_managed_review_by_address,
       v2::replay_managed_review_by_address),
  acts("/api/v2/wallets/managed/post/review/by-x", v2::post_managed_review_by_x, v2::replay_managed_review_by_x),
  acts("/api/v2/wallets/managed/edit/review", v2::post_managed_review_edit, v2::replay_managed_review_edit),
  acts("/api/v2/wallets/managed/invite/address", v2::post_managed_invite, v2::replay_managed_invite),
  acts("/api/v2/wallets/managed/invite/cancel", v2::post_managed_uninvite, v2::replay_managed_uninvite),
  acts("/api/v2/wallets/managed/bonds", v2::post_managed_bond, v2::replay_managed_bond),
  acts("/api/v2/wallets/activity/review/{id}/archive", v2::post_managed_review_archive,
       v2::replay_managed_review_archive),
  acts("/api/v2/wallets/activity/bond/{id}/archive", v2::post_managed_bond_archive, v2::replay_managed_bond_archive),
  acts("/api/v2/wallets/activity/{type}/{id}/vote", v2::post_managed_vote, v2::replay_managed_vote),
  acts("/api/v2/wallets/activity/{type}/{id}/reply", v2::post_managed_reply, v2::replay_managed_reply),

  by_owner(reads_own("/api/v2/wallets/managed/partners", v2::get_partners)),
  a_day(by_owner(writes("/api/v2/wallets/managed/partners", scope::none, v2::post_partner, v2::replay_switch_partner,
                        {.does = effect::audited})),
        daily_act::partner_grants),
  a_day(by_query(by_owner(deletes("/api/v2/wallets/managed/partners", scope::none, v2::delete_partner,
                                  v2::replay_switch_partner)),
                 "origin"),
        daily_act::by_rules),
  by_owner(reads_own("/api/v2/wallets/managed/partners/actions", v2::get_partner_actions)),
  reads_always("/api/v2/wallets/managed/partners/sign-in", v2::get_partner_sign_in, quota_class::wallet),
  a_day(by_owner(writes("/api/v2/wallets/managed/partners/codes", scope::none, v2::post_partner_code,
                        v2::replay_post_partner_code, {quota_class::wallet, effect::audited})),
        daily_act::partner_grants),
  a_day(
    by_partner(signs("/api/v2/wallets/managed/partners/token", v2::post_partner_token, idempotency_keeper::by_rules)),
    daily_act::by_rules),
  a_day(by_owner(writes("/api/v2/wallets/managed/export", scope::none, v2::post_wallet_export,
                        v2::replay_post_wallet_export, {quota_class::wallet, effect::audited})),
        daily_act::partner_grants),
};

} // namespace credence::http::declare
