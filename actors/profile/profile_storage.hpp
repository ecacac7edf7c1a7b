#pragma once

#include "actors/domain/scopes.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/profile/xp_types.hpp"

/// What profiles write and read: XP, keys and sessions.
namespace credence {

template <>
struct fact<profile::xp_tipped> : told_its_number<profile::xp_tipped> {
  static std::optional<std::string_view> source_type(const of& tip) {
    return tip.source ? std::optional{profile::tip_source_names[static_cast<std::size_t>(tip.source->kind)]}
                      : std::nullopt;
  }
  static std::optional<std::int32_t> source_id(const of& tip) { return tip.source ? tip.source->id : std::nullopt; }
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (from_account, sender), (to_account, receiver), amount, message),
                 field{"source_type", &source_type}, field{"source_id", &source_id}, CREDENCE_FIELDS(of, at));
};

CREDENCE_FACT(told_its_number, profile::xp_granted, (to_account, profile), amount, at);
CREDENCE_PART(profile::keys_used::use, id, at);
CREDENCE_PART(profile::api_key, (address, signer), name, created_at, expires_at, last_used_at);

template <>
struct fact<profile::key_created> : unnumbered<profile::key_created> {
  static std::string effect(const of& made) { return made.key.id; }
  static const std::vector<std::string>& networks(const of& made) { return made.key.bounds.networks; }
  static constexpr auto fields = within(&of::key, part<profile::api_key>::fields, field{"networks", &networks});
};

CREDENCE_FACT(without_effect, profile::key_revoked, id, (profile_id, profile), (revoked_at, at));
CREDENCE_FACT(without_effect, profile::keys_used, uses);

template <>
struct part<profile::session> {
  using of = profile::session;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, refresh_hash, rotated_at, created_at, expires_at, (address, signer)),
                 field{"partner_origin", or_null(&of::partner)});
};

template <>
struct fact<profile::session_opened> : without_effect<profile::session_opened> {
  static constexpr auto fields = within(&of::opened, part<profile::session>::fields);
};

CREDENCE_FACT(without_effect, profile::session_rotated, (id, now, &profile::session::id),
              (refresh_hash, now, &profile::session::refresh_hash), (rotated_at, now, &profile::session::rotated_at));
CREDENCE_FACT(without_effect, profile::sessions_ended, ids, (ended_at, at));
CREDENCE_PART(profile::partner_grant, origin, enabled, changed_at);
template <>
struct fact<profile::partner_switched> : unnumbered<profile::partner_switched> {
  static std::string effect(const of& switched) { return switched.grant.origin; }
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (profile_id, profile)), within(&of::grant, part<profile::partner_grant>::fields));
};

CREDENCE_PART(profile::partner_code, hash, origin, expires_at);
template <>
struct fact<profile::partner_code_made> : without_effect<profile::partner_code_made> {
  static constexpr auto fields = joined_lists(within(&of::code, part<profile::partner_code>::fields),
                                              CREDENCE_FIELDS(of, (profile_id, profile), (made_at, at)));
};

CREDENCE_PART(profile::signed_nonce, (address, signer), nonce, expires_at);
template <>
struct fact<profile::nonce_used> : without_effect<profile::nonce_used> {
  static constexpr auto fields = within(&of::by, part<profile::signed_nonce>::fields);
};

namespace profile {
/// What is written and what is asked.
struct storage {
  using facts = types<xp_tipped, xp_granted, key_created, key_revoked, keys_used, session_opened, session_rotated,
                      sessions_ended, partner_switched, partner_code_made, nonce_used>;
  using loads = types<load<load_profile, stored_profile>, load<count_votes, counted_votes>, load<load_xp, stored_xp>,
                      load<get_tips>, load<get_tip_figures>, load_if_there<get_receipt>, load_if_there<get_grant>,
                      load<load_credentials, stored_credentials>, load<list_partner_acts, std::vector<partner_act>>>;
};
} // namespace profile

} // namespace credence
