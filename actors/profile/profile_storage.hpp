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
  static constexpr field_list fields{field{"from_account", &of::sender},
                                     field{"to_account", &of::receiver},
                                     field{"amount", &of::amount},
                                     field{"message", &of::message},
                                     field{"source_type", &source_type},
                                     field{"source_id", &source_id},
                                     field{"at", &of::at}};
};

template <>
struct fact<profile::xp_granted> : told_its_number<profile::xp_granted> {
  static constexpr field_list fields{field{"to_account", &of::profile}, field{"amount", &of::amount},
                                     field{"at", &of::at}};
};

template <>
struct part<profile::keys_used::use> {
  using of = profile::keys_used::use;
  static constexpr field_list fields{field{"id", &of::id}, field{"at", &of::at}};
};

template <>
struct part<profile::api_key> {
  using of = profile::api_key;
  static constexpr field_list fields{field{"address", &of::signer}, field{"name", &of::name},
                                     field{"created_at", &of::created_at}, field{"expires_at", &of::expires_at},
                                     field{"last_used_at", &of::last_used_at}};
};

template <>
struct fact<profile::key_created> : unnumbered<profile::key_created> {
  static std::string effect(const of& made) { return made.key.id; }
  static const std::vector<std::string>& networks(const of& made) { return made.key.bounds.networks; }
  static constexpr auto fields = within(&of::key, part<profile::api_key>::fields, field{"networks", &networks});
};

template <>
struct fact<profile::key_revoked> : without_effect<profile::key_revoked> {
  static constexpr field_list fields{field{"id", &of::id}, field{"profile_id", &of::profile},
                                     field{"revoked_at", &of::at}};
};

template <>
struct fact<profile::keys_used> : without_effect<profile::keys_used> {
  static constexpr field_list fields{field{"uses", &of::uses}};
};

template <>
struct part<profile::session> {
  using of = profile::session;
  static constexpr field_list fields{field{"refresh_hash", &of::refresh_hash},
                                     field{"rotated_at", &of::rotated_at},
                                     field{"created_at", &of::created_at},
                                     field{"expires_at", &of::expires_at},
                                     field{"address", &of::signer},
                                     field{"partner_origin", or_null(&of::partner)}};
};

template <>
struct fact<profile::session_opened> : without_effect<profile::session_opened> {
  static constexpr auto fields = within(&of::opened, part<profile::session>::fields);
};

template <>
struct fact<profile::session_rotated> : without_effect<profile::session_rotated> {
  static constexpr field_list fields{field{"id", &of::now, &profile::session::id},
                                     field{"refresh_hash", &of::now, &profile::session::refresh_hash},
                                     field{"rotated_at", &of::now, &profile::session::rotated_at}};
};

template <>
struct fact<profile::sessions_ended> : without_effect<profile::sessions_ended> {
  static constexpr field_list fields{field{"ids", &of::ids}, field{"ended_at", &of::at}};
};

template <>
struct part<profile::partner_grant> {
  using of = profile::partner_grant;
  static constexpr field_list fields{field{"origin", &of::origin}, field{"enabled", &of::enabled},
                                     field{"changed_at", &of::changed_at}};
};
template <>
struct fact<profile::partner_switched> : unnumbered<profile::partner_switched> {
  static std::string effect(const of& switched) { return switched.grant.origin; }
  static constexpr auto fields = joined_lists(field_list{field{"profile_id", &of::profile}},
                                              within(&of::grant, part<profile::partner_grant>::fields));
};

template <>
struct part<profile::partner_code> {
  using of = profile::partner_code;
  static constexpr field_list fields{field{"hash", &of::hash}, field{"origin", &of::origin},
                                     field{"expires_at", &of::expires_at}};
};
template <>
struct fact<profile::partner_code_made> : without_effect<profile::partner_code_made> {
  static constexpr auto fields = within(&of::code, part<profile::partner_code>::fields,
                                        field{"profile_id", &of::profile}, field{"made_at", &of::at});
};

template <>
struct part<profile::signed_nonce> {
  using of = profile::signed_nonce;
  static constexpr field_list fields{field{"address", &of::signer}, field{"nonce", &of::nonce},
                                     field{"expires_at", &of::expires_at}};
};
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
