#pragma once

#include "actors/funds/funds_types.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"

namespace credence::market {
struct load_trade;
struct stored_trade;
} // namespace credence::market

/// What funds actors write and read.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<funds::flow> = funds::flow_names;

template <>
struct fact<funds::funds_moved> {
  using of = funds::funds_moved;
  static constexpr auto name = "funds_moved";
  static constexpr auto numbers = numbering::told;
  static constexpr field_list fields{field{"at", &of::at}, field{"profile_id", &of::profile}, field{"kind", &of::way},
                                     field{"amount", &of::amount}, field{"reference", &of::reference}};
};

namespace funds {
/// What is written and what is asked.
struct storage {
  using facts = types<funds_moved>;
  using loads = types<load<load_funds, stored_funds>, load<load_transfer, stored_transfer>>;
  using loads_of_others = types<load<market::load_trade, market::stored_trade>>;
};
} // namespace funds

} // namespace credence
