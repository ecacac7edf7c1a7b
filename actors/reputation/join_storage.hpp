#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/profile/signed_nonce_storage.hpp"
#include "actors/reputation/join_types.hpp"
#include "actors/reputation/subject_parts.hpp"

/// What is written of profiles, their addresses and invitations.
namespace credence {

template <>
struct fact<reputation::profile_created> {
  using of = reputation::profile_created;
  static constexpr auto name = "profile_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& made) { return std::to_string(made.id.value); }
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"user_id", &of::user},
                                     field{"fresh", &of::fresh},
                                     field{"address", &of::account},
                                     field{"invited_by", &of::inviter},
                                     field{"invitation_id", &of::accepted},
                                     field{"invites_available", &of::invites},
                                     field{"nonce", &of::by},
                                     field{"created_at", &of::at}};
};

template <>
struct fact<reputation::profile_archived> {
  using of = reputation::profile_archived;
  static constexpr auto name = "profile_archived";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"user_id", &of::user},
                                     field{"archived", &of::archived}, field{"updated_at", &of::at}};
};

template <>
struct part<reputation::profile_texts> {
  using of = reputation::profile_texts;
  static constexpr field_list fields{field{"display_name", &of::display_name}, field{"username", &of::username},
                                     field{"avatar_url", &of::avatar_url}, field{"description", &of::description}};
};

template <>
struct fact<reputation::profile_edited> {
  using of = reputation::profile_edited;
  static constexpr auto name = "profile_edited";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"user_id", &of::user}, field{"texts", &of::texts},
                                     field{"updated_at", &of::at}};
};

template <>
struct fact<reputation::address_linked> {
  using of = reputation::address_linked;
  static constexpr auto name = "address_linked";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr field_list fields{field{"address", &of::account}, field{"profile_id", &of::profile},
                                     field{"user_id", &of::user},    field{"before", &of::before},
                                     field{"merges", &of::merges},   field{"is_primary", &of::primary},
                                     field{"nonce", &of::by},        field{"at", &of::at}};
};

template <>
struct fact<reputation::address_unlinked> {
  using of = reputation::address_unlinked;
  static constexpr auto name = "address_unlinked";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr field_list fields{field{"address", &of::account},
                                     field{"profile_id", &of::profile},
                                     field{"to_user", &of::to},
                                     field{"fresh", &of::fresh},
                                     field{"generation", &of::generation},
                                     field{"primary", &of::primary},
                                     field{"at", &of::at}};
};

template <>
struct fact<reputation::invitation_sent> {
  using of = reputation::invitation_sent;
  static constexpr auto name = "invitation_sent";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& sent) { return std::to_string(sent.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"sender", &of::sender},
                                     field{"recipient", &of::recipient}, field{"invited_at", &of::at}};
};

template <>
struct fact<reputation::invitation_withdrawn> {
  using of = reputation::invitation_withdrawn;
  static constexpr auto name = "invitation_withdrawn";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"sender", &of::sender}, field{"at", &of::at}};
};

} // namespace credence
