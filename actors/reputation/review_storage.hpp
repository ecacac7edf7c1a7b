#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/review_types.hpp"
#include "actors/reputation/subject_parts.hpp"

/// What is written of reviews.
namespace credence {

template <>
struct fact<reputation::review_created> {
  using of = reputation::review_created;
  static constexpr auto name = "review_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static review_id id(const of& fresh) { return fresh.record.id; }
  static profile_id author(const of& fresh) { return fresh.record.author; }
  static const std::optional<address>& author_address(const of& fresh) { return fresh.record.author_address; }
  static std::span<const std::byte> key(const of& fresh) { return fresh.record.subject.name.key.bytes(); }
  static std::int32_t generation(const of& fresh) { return fresh.record.subject.generation; }
  static std::int16_t score(const of& fresh) { return static_cast<std::int16_t>(fresh.record.score); }
  static const std::string& comment(const of& fresh) { return fresh.record.comment; }
  static const std::string& metadata(const of& fresh) { return fresh.record.metadata; }
  static timestamp created_at(const of& fresh) { return fresh.record.created_at; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"author_profile", &author},
                                     field{"author_address", &author_address},
                                     field{"subject_key", &key},
                                     field{"subject_generation", &generation},
                                     field{"score", &score},
                                     field{"comment", &comment},
                                     field{"metadata", &metadata},
                                     field{"created_at", &created_at},
                                     field{"subject", &of::subject}};
};

template <>
struct fact<reputation::review_edited> {
  using of = reputation::review_edited;
  static constexpr auto name = "review_edited";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"id", &of::id},       field{"comment", &of::comment}, field{"metadata", &of::metadata},
    field{"edits", &of::edits}, field{"updated_at", &of::at},   field{"by_profile", &of::by}};
};

template <>
struct fact<reputation::review_archived> {
  using of = reputation::review_archived;
  static constexpr auto name = "review_archived";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}, field{"author_profile", &of::author},
                                     field{"taken_down", &of::taken_down}};
};

} // namespace credence
