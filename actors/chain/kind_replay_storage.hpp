#pragma once

#include "actors/chain/kind_replay_types.hpp"
#include "actors/kernel/fact.hpp"

/// What adding kinds to a chain writes.
namespace credence {

template <>
struct part<chain::row_image> {
  using of = chain::row_image;
  static constexpr field_list fields{field{"undo_block", &of::undo_block}, field{"event", &of::event},
                                     field{"relation", &of::relation}, field{"columns", &of::columns},
                                     field{"piece", &of::piece}};
};

template <>
struct part<chain::replayed_event> {
  using of = chain::replayed_event;
  static constexpr field_list fields{field{"id", &of::id}, field{"status", &of::status}, field{"reason", &of::reason}};
};

template <>
struct fact<chain::kinds_added> {
  using of = chain::kinds_added;
  static constexpr auto name = "kinds_added";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"chain_id", &of::chain},      field{"tip", &of::tip},
                                     field{"kinds", &of::kinds},         field{"added", &of::added},
                                     field{"id_offset", &of::id_offset}, field{"at", &of::at}};
};

template <>
struct fact<chain::events_replayed> {
  using of = chain::events_replayed;
  static constexpr auto name = "events_replayed";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"chain_id", &of::chain}, field{"before", &of::before}, field{"place", &of::place}, field{"done", &of::done},
    field{"events", &of::events},  field{"rows", &of::rows},     field{"at", &of::at}};
};

} // namespace credence
