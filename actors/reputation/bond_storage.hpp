#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/bond_types.hpp"
#include "actors/reputation/subject_parts.hpp"

/// What is written of bonds.
namespace credence {

template <>
struct fact<reputation::bond_created> {
  using of = reputation::bond_created;
  static constexpr auto name = "bond_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static reputation::bond_id id(const of& fresh) { return fresh.record.id; }
  static profile_id author(const of& fresh) { return fresh.record.author; }
  static std::span<const std::byte> key(const of& fresh) { return fresh.record.subject.name.key.bytes(); }
  static std::int32_t generation(const of& fresh) { return fresh.record.subject.generation; }
  static profile_id subject_profile(const of& fresh) { return fresh.record.subject_profile; }
  static const std::string& type(const of& fresh) { return fresh.record.type; }
  static const std::string& amount(const of& fresh) { return fresh.record.amount; }
  static const std::string& amount_type(const of& fresh) { return fresh.record.amount_type; }
  static const std::string& statement(const of& fresh) { return fresh.record.statement; }
  static std::optional<std::string_view> method(const of& fresh) {
    const auto& method = fresh.record.method;
    return method ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*method)]}
                  : std::nullopt;
  }
  static const std::string& comment(const of& fresh) { return fresh.record.comment; }
  static timestamp expires_at(const of& fresh) { return fresh.record.expires_at; }
  static timestamp created_at(const of& fresh) { return fresh.record.created_at; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"author_profile", &author},
                                     field{"subject_key", &key},
                                     field{"subject_generation", &generation},
                                     field{"subject_profile", &subject_profile},
                                     field{"bond_type", &type},
                                     field{"amount", &amount},
                                     field{"amount_type", &amount_type},
                                     field{"statement", &statement},
                                     field{"method", &method},
                                     field{"comment", &comment},
                                     field{"expires_at", &expires_at},
                                     field{"created_at", &created_at},
                                     field{"created_by", &of::by},
                                     field{"subject", &of::subject}};
};

template <>
struct fact<reputation::bond_archived> {
  using of = reputation::bond_archived;
  static constexpr auto name = "bond_archived";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static timestamp at(const of& done) { return done.end.at; }
  static const std::string& reason(const of& done) { return done.end.reason; }
  static profile_id by(const of& done) { return done.end.by; }
  static constexpr field_list fields{
    field{"id", &of::id},      field{"author_profile", &of::author}, field{"subject_profile", &of::subject},
    field{"archived_at", &at}, field{"archive_reason", &reason},     field{"archived_by", &by}};
};

template <>
struct fact<reputation::bond_expiration_set> {
  using of = reputation::bond_expiration_set;
  static constexpr auto name = "bond_expiration_set";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"id", &of::id},         field{"author_profile", &of::author}, field{"subject_profile", &of::subject},
    field{"before", &of::before}, field{"expires_at", &of::expires_at}, field{"set_by", &of::by},
    field{"updated_at", &of::at}};
};

} // namespace credence
