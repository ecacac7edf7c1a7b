#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/reply_types.hpp"

/// What is written of replies and of votes on activities.
namespace credence {

template <>
struct fact<reputation::reply_created> {
  using of = reputation::reply_created;
  static constexpr auto name = "reply_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static reply_id id(const of& fresh) { return fresh.record.id; }
  static profile_id author(const of& fresh) { return fresh.record.author; }
  static std::string_view kind(const of& fresh) { return reputation::name_of(fresh.record.on.kind); }
  static std::int32_t target(const of& fresh) { return fresh.record.on.id; }
  static const std::optional<reply_id>& parent(const of& fresh) { return fresh.record.parent; }
  static const std::string& content(const of& fresh) { return fresh.record.content; }
  static const std::string& metadata(const of& fresh) { return fresh.record.metadata; }
  static timestamp created_at(const of& fresh) { return fresh.record.created_at; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"author_profile", &author},
                                     field{"target_kind", &kind},
                                     field{"target_id", &target},
                                     field{"parent_id", &parent},
                                     field{"content", &content},
                                     field{"metadata", &metadata},
                                     field{"created_at", &created_at}};
};

template <>
struct fact<reputation::reply_edited> {
  using of = reputation::reply_edited;
  static constexpr auto name = "reply_edited";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"id", &of::id},       field{"content", &of::content}, field{"metadata", &of::metadata},
    field{"edits", &of::edits}, field{"updated_at", &of::at},   field{"by_profile", &of::by}};
};

template <>
struct fact<reputation::activity_voted> {
  using of = reputation::activity_voted;
  static constexpr auto name = "activity_voted";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static std::string_view kind(const of& given) { return reputation::name_of(given.vote.on.kind); }
  static std::int32_t target(const of& given) { return given.vote.on.id; }
  static profile_id voter(const of& given) { return given.vote.voter; }
  static std::int32_t number(const of& given) { return given.vote.number; }
  static bool upvote(const of& given) { return given.vote.upvote; }
  static bool archived(const of& given) { return given.vote.archived; }
  static timestamp created_at(const of& given) { return given.vote.created_at; }
  static timestamp updated_at(const of& given) { return given.vote.updated_at; }
  static constexpr field_list fields{field{"kind", &kind},
                                     field{"target_id", &target},
                                     field{"voter", &voter},
                                     field{"number", &number},
                                     field{"upvote", &upvote},
                                     field{"archived", &archived},
                                     field{"created_at", &created_at},
                                     field{"updated_at", &updated_at},
                                     field{"first", &of::first}};
};

} // namespace credence
