#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/attestation_types.hpp"

/// What is written of attestations.
namespace credence {

template <>
struct fact<reputation::account_attested> {
  using of = reputation::account_attested;
  static constexpr auto name = "account_attested";
  static constexpr auto numbers = numbering::none; // one row changes its profile, however often
  static std::string effect(const of& done) { return std::to_string(done.record.id.value); }
  static reputation::attestation_id id(const of& done) { return done.record.id; }
  static profile_id profile(const of& done) { return done.record.profile; }
  static std::span<const std::byte> hash(const of& done) { return done.record.name.key.bytes(); }
  static std::string_view service(const of& done) { return people::name_of(done.record.name.account.value().service); }
  static std::string_view account(const of& done) { return done.record.name.account.value().id; }
  static const std::optional<std::string>& username(const of& done) { return done.record.username; }
  static const std::optional<std::string>& evidence(const of& done) { return done.record.evidence; }
  static timestamp created_at(const of& done) { return done.record.created_at; }
  static timestamp updated_at(const of& done) { return done.record.updated_at; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"profile_id", &profile},
                                     field{"hash", &hash},
                                     field{"service", &service},
                                     field{"account", &account},
                                     field{"username", &username},
                                     field{"evidence", &evidence},
                                     field{"created_at", &created_at},
                                     field{"updated_at", &updated_at},
                                     field{"user_id", &of::user},
                                     field{"fresh", &of::fresh},
                                     field{"before", &of::before},
                                     field{"profile_before", &of::profile_before},
                                     field{"merges", &of::merges},
                                     field{"attested_by", &of::by}};
};

template <>
struct fact<reputation::attestation_archived> {
  using of = reputation::attestation_archived;
  static constexpr auto name = "attestation_archived";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}, field{"profile_id", &of::profile}};
};

} // namespace credence
