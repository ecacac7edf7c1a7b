#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/join_storage.hpp"
#include "actors/reputation/project_record_types.hpp"
#include "actors/reputation/subject_parts.hpp"

/// What is written of projects, but for votes on them.
namespace credence {

template <>
struct part<listing::link> {
  using of = listing::link;
  static std::string_view type(const of& link) { return listing::link_type_names[static_cast<std::size_t>(link.type)]; }
  static constexpr field_list fields{field{"type", &type}, field{"url", &of::url}};
};

template <>
struct part<reputation::team_member> {
  using of = reputation::team_member;
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"role", &of::role},
                                     field{"manager", &of::manager}};
};

template <>
struct part<reputation::project_record> {
  using of = reputation::project_record;
  static const std::optional<std::string>& description(const of& project) { return project.details.description; }
  static const std::optional<std::string>& banner(const of& project) { return project.details.banner_image_url; }
  static bool promoted(const of& project) { return project.details.promoted; }
  static bool show_archived(const of& project) { return project.details.show_archived; }
  static const std::vector<listing::link>& links(const of& project) { return project.details.links; }
  static const std::vector<reputation::team_member>& team(const of& project) { return project.details.team; }
  static const std::vector<reputation::category_id>& categories(const of& project) {
    return project.details.categories;
  }
  static const std::vector<reputation::chain_id>& chains(const of& project) { return project.details.chains; }
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"user_id", &of::user},
                                     field{"userkey", &of::userkey},
                                     field{"description", &description},
                                     field{"banner_image_url", &banner},
                                     field{"is_promoted", &promoted},
                                     field{"show_archived", &show_archived},
                                     field{"links", &links},
                                     field{"team", &team},
                                     field{"categories", &categories},
                                     field{"chains", &chains},
                                     field{"updated_at", &of::updated_at}};
};

template <>
struct fact<reputation::project_created> {
  using of = reputation::project_created;
  static constexpr auto name = "project_created";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& made) { return std::to_string(made.record.id.value); }
  static constexpr field_list fields{field{"project", &of::record}, field{"shown", &of::shown},
                                     field{"subject", &of::subject}};
};

template <>
struct fact<reputation::project_edited> {
  using of = reputation::project_edited;
  static constexpr auto name = "project_edited";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"project", &of::record}, field{"shown", &of::shown}};
};

template <>
struct fact<reputation::project_archived> {
  using of = reputation::project_archived;
  static constexpr auto name = "project_archived";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}};
};

} // namespace credence
