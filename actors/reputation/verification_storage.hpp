#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/verification_types.hpp"

/// What is written of human verification.
namespace credence {

template <>
struct fact<reputation::verification_decided> {
  using of = reputation::verification_decided;
  static constexpr auto name = "verification_decided";
  static constexpr auto numbers = numbering::none; // one row a person, however often it changes
  static std::string effect(const of& done) { return std::to_string(done.record.profile.value); }
  static profile_id profile(const of& done) { return done.record.profile; }
  static user_id user(const of& done) { return done.record.user; }
  static bool verified(const of& done) { return done.record.verified; }
  static std::optional<std::string_view> method(const of& done) {
    const auto& method = done.record.method;
    return method ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*method)]}
                  : std::nullopt;
  }
  static const std::string& comment(const of& done) { return done.record.comment; }
  static profile_id by(const of& done) { return done.record.by; }
  static timestamp created_at(const of& done) { return done.record.created_at; }
  static timestamp updated_at(const of& done) { return done.record.updated_at; }
  static const std::optional<timestamp>& verified_at(const of& done) { return done.record.verified_at; }
  static constexpr field_list fields{
    field{"profile_id", &profile},    field{"user_id", &user},          field{"verified", &verified},
    field{"method", &method},         field{"comment", &comment},       field{"decided_by", &by},
    field{"created_at", &created_at}, field{"updated_at", &updated_at}, field{"verified_at", &verified_at}};
};

} // namespace credence
