#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/catalogue_types.hpp"

/// What is written of categories and chains.
namespace credence {

template <>
struct fact<reputation::category_saved> {
  using of = reputation::category_saved;
  static constexpr auto name = "category_saved";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& saved) { return std::to_string(saved.record.id.value); }
  static reputation::category_id id(const of& saved) { return saved.record.id; }
  static const std::string& words(const of& saved) { return saved.record.name; }
  static const std::string& slug(const of& saved) { return saved.record.slug; }
  static const std::optional<std::string>& description(const of& saved) { return saved.record.description; }
  static bool on_leaderboard(const of& saved) { return saved.record.on_leaderboard; }
  static bool in_daily_service(const of& saved) { return saved.record.in_daily_service; }
  static const std::optional<std::string>& banner(const of& saved) { return saved.record.banner_image_url; }
  static constexpr field_list fields{field{"id", &id},
                                     field{"name", &words},
                                     field{"slug", &slug},
                                     field{"description", &description},
                                     field{"show_on_leaderboard", &on_leaderboard},
                                     field{"show_in_daily_service", &in_daily_service},
                                     field{"banner_image_url", &banner},
                                     field{"fresh", &of::fresh},
                                     field{"at", &of::at}};
};

template <>
struct fact<reputation::chain_saved> {
  using of = reputation::chain_saved;
  static constexpr auto name = "chain_saved";
  static constexpr auto numbers = numbering::none;
  static std::string effect(const of& saved) { return std::to_string(saved.record.id.value); }
  static reputation::chain_id id(const of& saved) { return saved.record.id; }
  static const std::string& words(const of& saved) { return saved.record.name; }
  static const std::optional<std::string>& url(const of& saved) { return saved.record.url; }
  static const std::optional<std::string>& icon(const of& saved) { return saved.record.icon_url; }
  static constexpr field_list fields{field{"id", &id},         field{"name", &words},      field{"url", &url},
                                     field{"icon_url", &icon}, field{"fresh", &of::fresh}, field{"at", &of::at}};
};

} // namespace credence
