#pragma once

#include "actors/domain/scopes.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/profile/credential_types.hpp"
#include "actors/profile/profile_types.hpp"
#include "actors/profile/signed_nonce_storage.hpp"
#include "actors/profile/xp_types.hpp"

/// What profiles write and read: XP, keys and sessions.
namespace credence {

template <>
struct fact<profile::xp_tipped> {
  using of = profile::xp_tipped;
  static constexpr auto name = "xp_tipped";
  static constexpr auto numbers = numbering::told;
  static std::optional<std::string_view> source_type(const of& tip) {
    return tip.source ? std::optional{profile::tip_source_names[static_cast<std::size_t>(tip.source->kind)]}
                      : std::nullopt;
  }
  static std::optional<std::int32_t> source_id(const of& tip) { return tip.source ? tip.source->id : std::nullopt; }
  static constexpr field_list fields{field{"from_account", &of::sender},
                                     field{"to_account", &of::receiver},
                                     field{"amount", &of::amount},
                                     field{"message", &of::message},
                                     field{"source_type", &source_type},
                                     field{"source_id", &source_id},
                                     field{"at", &of::at}};
};

template <>
struct fact<profile::xp_granted> {
  using of = profile::xp_granted;
  static constexpr auto name = "xp_granted";
  static constexpr auto numbers = numbering::told;
  static constexpr field_list fields{field{"to_account", &of::profile}, field{"amount", &of::amount},
                                     field{"at", &of::at}};
};

template <>
struct part<profile::keys_used::use> {
  using of = profile::keys_used::use;
  static constexpr field_list fields{field{"id", &of::id}, field{"at", &of::at}};
};

template <>
struct fact<profile::key_created> {
  using of = profile::key_created;
  static constexpr auto name = "key_created";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& made) { return made.key.id; }
  static const std::string& id(const of& made) { return made.key.id; }
  static profile_id of_profile(const of& made) { return made.key.profile; }
  static const address& signer(const of& made) { return made.key.signer; }
  static const std::string& label(const of& made) { return made.key.name; }
  static timestamp created_at(const of& made) { return made.key.created_at; }
  static timestamp expires_at(const of& made) { return made.key.expires_at; }
  static std::optional<std::string> scopes(const of& made) {
    return made.key.bounds.scopes ? std::optional{names_of(*made.key.bounds.scopes)} : std::nullopt;
  }
  static const std::vector<std::string>& networks(const of& made) { return made.key.bounds.networks; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"profile_id", &of_profile},
                                     field{"address", &signer},
                                     field{"name", &label},
                                     field{"token_hash", &of::token_hash},
                                     field{"created_at", &created_at},
                                     field{"expires_at", &expires_at},
                                     field{"scopes", &scopes},
                                     field{"allowed_networks", &networks},
                                     field{"nonce", &of::by}};
};

template <>
struct fact<profile::key_revoked> {
  using of = profile::key_revoked;
  static constexpr auto name = "key_revoked";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static std::string_view why(const of& revoked) {
    return profile::end_cause_names[static_cast<std::size_t>(revoked.why)];
  }
  static constexpr field_list fields{field{"id", &of::id}, field{"profile_id", &of::profile},
                                     field{"revoked_at", &of::at}, field{"why", &why}};
};

template <>
struct fact<profile::keys_used> {
  using of = profile::keys_used;
  static constexpr auto name = "keys_used";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"uses", &of::uses}};
};

template <>
struct fact<profile::session_opened> {
  using of = profile::session_opened;
  static constexpr auto name = "session_opened";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static const std::string& id(const of& fresh) { return fresh.opened.id; }
  static profile_id of_profile(const of& fresh) { return fresh.opened.profile; }
  static const digest32& refresh_hash(const of& fresh) { return fresh.opened.refresh_hash; }
  static timestamp rotated_at(const of& fresh) { return fresh.opened.rotated_at; }
  static timestamp created_at(const of& fresh) { return fresh.opened.created_at; }
  static timestamp expires_at(const of& fresh) { return fresh.opened.expires_at; }
  static const std::optional<address>& signer(const of& fresh) { return fresh.opened.signer; }
  static std::optional<std::string> partner(const of& fresh) {
    return fresh.opened.partner.empty() ? std::nullopt : std::optional{fresh.opened.partner};
  }
  static constexpr field_list fields{field{"id", &id},
                                     field{"profile_id", &of_profile},
                                     field{"refresh_hash", &refresh_hash},
                                     field{"rotated_at", &rotated_at},
                                     field{"created_at", &created_at},
                                     field{"expires_at", &expires_at},
                                     field{"address", &signer},
                                     field{"nonce", &of::by},
                                     field{"in_place_of", &of::in_place_of},
                                     field{"partner_origin", &partner},
                                     field{"code", &of::code}};
};

template <>
struct fact<profile::session_rotated> {
  using of = profile::session_rotated;
  static constexpr auto name = "session_rotated";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static const std::string& id(const of& rotated) { return rotated.now.id; }
  static const digest32& refresh_hash(const of& rotated) { return rotated.now.refresh_hash; }
  static timestamp rotated_at(const of& rotated) { return rotated.now.rotated_at; }
  static constexpr field_list fields{field{"id", &id}, field{"refresh_hash", &refresh_hash},
                                     field{"rotated_at", &rotated_at}};
};

template <>
struct fact<profile::sessions_ended> {
  using of = profile::sessions_ended;
  static constexpr auto name = "sessions_ended";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static std::string_view why(const of& ended) { return profile::end_cause_names[static_cast<std::size_t>(ended.why)]; }
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"ids", &of::ids},
                                     field{"ended_at", &of::at}, field{"why", &why}};
};

template <>
struct fact<profile::partner_switched> {
  using of = profile::partner_switched;
  static constexpr auto name = "partner_switched";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& switched) { return switched.grant.origin; }
  static const std::string& origin(const of& switched) { return switched.grant.origin; }
  static bool enabled(const of& switched) { return switched.grant.enabled; }
  static timestamp changed_at(const of& switched) { return switched.grant.changed_at; }
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"origin", &origin},
                                     field{"enabled", &enabled}, field{"changed_at", &changed_at}};
};

template <>
struct fact<profile::partner_code_made> {
  using of = profile::partner_code_made;
  static constexpr auto name = "partner_code_made";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static const digest32& hash(const of& made) { return made.code.hash; }
  static const std::string& origin(const of& made) { return made.code.origin; }
  static timestamp expires_at(const of& made) { return made.code.expires_at; }
  static constexpr field_list fields{field{"hash", &hash}, field{"profile_id", &of::profile}, field{"origin", &origin},
                                     field{"made_at", &of::at}, field{"expires_at", &expires_at}};
};

template <>
struct fact<profile::nonce_used> {
  using of = profile::nonce_used;
  static constexpr auto name = "nonce_used";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"used_at", &of::at},
                                     field{"nonce", &of::by}};
};

namespace profile {
/// What is written and what is asked.
struct storage {
  using facts = types<xp_tipped, xp_granted, key_created, key_revoked, keys_used, session_opened, session_rotated,
                      sessions_ended, partner_switched, partner_code_made, nonce_used>;
  using loads = types<load<load_profile, stored_profile>, load<count_votes, counted_votes>, load<load_xp, stored_xp>,
                      load<load_tips, tip_list>, load<load_tip_figures, tip_figures>,
                      load<load_receipt, stored_receipt>, load<load_grant, stored_grant>,
                      load<load_credentials, stored_credentials>, load<list_partner_acts, std::vector<partner_act>>>;
};
} // namespace profile

} // namespace credence
