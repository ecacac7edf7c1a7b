#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/subject_parts.hpp"
#include "actors/reputation/vouch_types.hpp"

/// What is written of vouches.
namespace credence {

template <>
struct part<score::vouch_part> {
  using of = score::vouch_part;
  static constexpr field_list fields{field{"day", &of::day}, field{"amount", &of::amount}};
};

template <>
struct fact<reputation::vouch_created> {
  using of = reputation::vouch_created;
  static constexpr auto name = "vouch_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static vouch_id number(const of& fresh) { return fresh.record.id; }
  static profile_id author(const of& fresh) { return fresh.record.author; }
  static const std::optional<address>& author_address(const of& fresh) { return fresh.record.author_address; }
  static std::span<const std::byte> key(const of& fresh) { return fresh.record.subject.name.key.bytes(); }
  static std::int32_t generation(const of& fresh) { return fresh.record.subject.generation; }
  static const std::optional<profile_id>& subject_profile(const of& fresh) { return fresh.record.subject_profile; }
  static std::string_view token(const of& fresh) {
    return reputation::vouch_token_names[static_cast<std::size_t>(fresh.record.token)];
  }
  static const wei& amount(const of& fresh) { return fresh.record.staked; }
  static const std::vector<score::vouch_part>& parts(const of& fresh) { return fresh.record.parts; }
  static const std::string& comment(const of& fresh) { return fresh.record.comment; }
  static const std::string& metadata(const of& fresh) { return fresh.record.metadata; }
  static timestamp vouched_at(const of& fresh) { return fresh.record.vouched_at; }
  static constexpr field_list fields{field{"number", &number},
                                     field{"author_profile", &author},
                                     field{"author_address", &author_address},
                                     field{"subject_key", &key},
                                     field{"subject_generation", &generation},
                                     field{"subject_profile", &subject_profile},
                                     field{"token", &token},
                                     field{"staked", &amount},
                                     field{"parts", &parts},
                                     field{"comment", &comment},
                                     field{"metadata", &metadata},
                                     field{"vouched_at", &vouched_at},
                                     field{"subject", &of::subject}};
};

template <>
struct fact<reputation::vouch_moved> {
  using of = reputation::vouch_moved;
  static constexpr auto name = "vouch_moved";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"number", &of::id},           field{"author_profile", &of::author}, field{"staked", &of::staked},
    field{"deposited", &of::deposited}, field{"balance", &of::balance},       field{"withdrawn", &of::withdrawn},
    field{"parts", &of::parts},         field{"archived", &of::archived},     field{"at", &of::at}};
};

template <>
struct fact<reputation::vouch_marked_unhealthy> {
  using of = reputation::vouch_marked_unhealthy;
  static constexpr auto name = "vouch_marked_unhealthy";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"number", &of::id}, field{"author_profile", &of::author},
                                     field{"unhealthy_at", &of::at}};
};

} // namespace credence
