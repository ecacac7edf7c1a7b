#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/reputation/notice_types.hpp"

/// What is written of notifications.
namespace credence {

template <>
struct fact<reputation::notices_read> {
  using of = reputation::notices_read;
  static constexpr auto name = "notices_read";
  static constexpr auto numbers = numbering::none; // one row a profile
  static std::string effect(const of& done) { return std::to_string(done.to.time_since_epoch().count()); }
  static constexpr field_list fields{field{"profile_id", &of::whose}, field{"read_to", &of::to}};
};

} // namespace credence
