#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/record_words.hpp"

/// How subjects, which come with changes of several kinds, are described in these.
namespace credence {

template <>
struct part<reputation::fresh_user> {
  using of = reputation::fresh_user;
  static std::optional<std::int32_t> attestation(const of& user) {
    return user.attestation ? std::optional{user.attestation} : std::nullopt;
  }
  static constexpr field_list fields{field{"display_name", &of::display_name}, field{"avatar_url", &of::avatar_url},
                                     field{"attestation_id", &attestation}};
};

template <>
struct part<reputation::fresh_subject> {
  using of = reputation::fresh_subject;
  static std::span<const std::byte> key(const of& fresh) { return fresh.name.key.bytes(); }
  static std::optional<std::string_view> service(const of& fresh) {
    return fresh.name.account ? std::optional{people::name_of(fresh.name.account->service)} : std::nullopt;
  }
  static std::optional<std::string_view> account(const of& fresh) {
    return fresh.name.account ? std::optional<std::string_view>{fresh.name.account->id} : std::nullopt;
  }
  static constexpr field_list fields{field{"key", &key},          field{"generation", &of::generation},
                                     field{"user_id", &of::user}, field{"service", &service},
                                     field{"account", &account},  field{"new_user", &of::new_user}};
};

} // namespace credence
