#pragma once

#include "actors/chain/contract_texts.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/chain/log_checks.hpp"
#include "actors/chain/refold_types.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/oversight/oversight_types.hpp"

/// What following a chain writes and reads.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::event_status> = chain::event_status_names;

template <>
struct part<chain::block_mark> {
  using of = chain::block_mark;
  static constexpr field_list fields{field{"number", &of::number}, field{"hash", &of::hash},
                                     field{"parent_hash", &of::parent_hash}, field{"at", &of::at}};
};

template <>
struct part<chain::stored_event> {
  using of = chain::stored_event;
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"block_number", &of::block},
                                     field{"block_hash", &of::block_hash},
                                     field{"block_at", &of::at},
                                     field{"tx_hash", &of::tx_hash},
                                     field{"block_index", &of::tx_index},
                                     field{"log_index", &of::log_index},
                                     field{"contract", &of::contract},
                                     field{"address", &of::from},
                                     field{"topics", as_bytes_of(&of::topics)},
                                     field{"data", as_bytes_of(&of::data)},
                                     field{"event_name", &of::event_name},
                                     field{"log_data", &of::log_data},
                                     field{"status", &of::status},
                                     field{"reason", &of::reason}};
};

template <>
struct part<chain::row_image> {
  using of = chain::row_image;
  static constexpr field_list fields{field{"undo_block", &of::undo_block}, field{"event", &of::event},
                                     field{"relation", &of::relation}, field{"columns", &of::columns},
                                     field{"piece", &of::piece}};
};

template <>
struct part<chain::log_place> {
  using of = chain::log_place;
  static constexpr field_list fields{field{"event", &of::event}, field{"block_hash", &of::block_hash},
                                     field{"log_index", &of::log_index}};
};

template <>
struct fact<chain::chain_begun> : without_effect<chain::chain_begun> {
  static constexpr auto name = "chain_begun";
  static constexpr field_list fields{field{"chain_id", &of::chain}, field{"contracts", &of::contracts},
                                     field{"kinds", &of::kinds}, field{"id_offset", &of::id_offset},
                                     field{"tip", &of::tip}};
};

template <>
struct fact<chain::blocks_applied> : without_effect<chain::blocks_applied> {
  static constexpr auto name = "blocks_applied";
  static constexpr field_list fields{
    field{"chain_id", &of::chain},      field{"before", &of::before}, field{"tip", &of::tip},
    field{"finalized", &of::finalized}, field{"blocks", &of::blocks}, field{"events", &of::events},
    field{"rows", &of::rows},           field{"at", &of::at},         field{"authority", &of::authority}};
};

template <>
struct part<chain::event_outcome> {
  using of = chain::event_outcome;
  static constexpr field_list fields{field{"id", &of::id}, field{"status", &of::status}, field{"reason", &of::reason}};
};

template <>
struct fact<chain::kinds_added> : without_effect<chain::kinds_added> {
  static constexpr auto name = "kinds_added";
  static constexpr field_list fields{field{"chain_id", &of::chain},      field{"tip", &of::tip},
                                     field{"kinds", &of::kinds},         field{"added", &of::added},
                                     field{"id_offset", &of::id_offset}, field{"at", &of::at}};
};

template <>
struct fact<chain::events_replayed> : without_effect<chain::events_replayed> {
  static constexpr auto name = "events_replayed";
  static constexpr field_list fields{
    field{"chain_id", &of::chain}, field{"before", &of::before}, field{"place", &of::place}, field{"done", &of::done},
    field{"events", &of::events},  field{"rows", &of::rows},     field{"at", &of::at}};
};

template <>
struct fact<chain::blocks_tried> : without_effect<chain::blocks_tried> {
  static constexpr auto name = "blocks_tried";
  static constexpr field_list fields{field{"chain_id", &of::chain}, field{"places", &of::places},
                                     field{"rows", &of::rows}};
};

template <>
struct fact<chain::blocks_undone> : without_effect<chain::blocks_undone> {
  static constexpr auto name = "blocks_undone";
  static constexpr field_list fields{field{"chain_id", &of::chain}, field{"before", &of::before},
                                     field{"tip", &of::tip}, field{"at", &of::at}};
};

template <>
struct fact<chain::event_reprocessed> : without_effect<chain::event_reprocessed> {
  static constexpr auto name = "event_reprocessed";
  static constexpr field_list fields{field{"chain_id", &of::chain},
                                     field{"tip", &of::tip},
                                     field{"before", &of::before},
                                     field{"event", &of::event},
                                     field{"event_name", &of::event_name},
                                     field{"log_data", &of::log_data},
                                     field{"status", &of::status},
                                     field{"reason", &of::reason},
                                     field{"rows", &of::rows},
                                     field{"at", &of::at}};
};

template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_kind> = chain::text_kind_names;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_state> = chain::text_state_names;

template <>
struct part<chain::read_account> {
  using of = chain::read_account;
  static constexpr field_list fields{field{"service", &of::service}, field{"account", &of::account},
                                     field{"hash", &of::hash}};
};

template <>
struct part<chain::text_reading> {
  using of = chain::text_reading;
  static constexpr field_list fields{field{"kind", &of::of, &chain::wanted_text::kind},
                                     field{"id", &of::of, &chain::wanted_text::id},
                                     field{"stamp", &of::stamp},
                                     field{"state", &of::state},
                                     field{"reason", &of::reason},
                                     field{"text", &of::text},
                                     field{"metadata", &of::metadata},
                                     field{"parent", &of::parent},
                                     field{"parent_is_target", &of::parent_is_target},
                                     field{"next_at", &of::next_at},
                                     field{"wallet", &of::wallet},
                                     field{"account", &of::account},
                                     field{"amount", &of::amount},
                                     field{"person", &of::person},
                                     field{"expires_at", &of::expires_at}};
};

template <>
struct fact<chain::texts_read> : without_effect<chain::texts_read> {
  static constexpr auto name = "texts_read";
  static constexpr field_list fields{field{"texts", &of::texts}, field{"at", &of::at}};
};

namespace chain {
/// What is written and what is asked.
struct storage {
  using facts = types<chain_begun, blocks_applied, blocks_undone, blocks_tried, texts_read, kinds_added,
                      events_replayed, event_reprocessed>;
  using loads = types<load<load_follow>, load<load_events>, load<fold_step>, load<load_text_queue>, load<load_texts_of>,
                      load<load_replay>, load<load_event_places>, load<load_reprocess>>;
  using loads_of_others = types<load<oversight::count_events>>;
};
} // namespace chain

} // namespace credence
