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

CREDENCE_PART(chain::block_mark, number, hash, parent_hash, at);

template <>
struct part<chain::stored_event> {
  using of = chain::stored_event;
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, id, (block_number, block), block_hash, (block_at, at), tx_hash,
                                 (block_index, tx_index), log_index, contract, (address, from)),
                 field{"topics", as_bytes_of(&of::topics)}, field{"data", as_bytes_of(&of::data)},
                 CREDENCE_FIELDS(of, event_name, log_data, status, reason));
};

CREDENCE_PART(chain::row_image, undo_block, event, relation, columns, piece);
CREDENCE_PART(chain::log_place, event, block_hash, log_index);
CREDENCE_FACT(without_effect, chain::chain_begun, (chain_id, chain), contracts, kinds, id_offset, tip);
CREDENCE_FACT(without_effect, chain::blocks_applied, (chain_id, chain), before, tip, finalized, blocks, events, rows,
              at, authority);
CREDENCE_PART(chain::event_outcome, id, status, reason);
CREDENCE_FACT(without_effect, chain::kinds_added, (chain_id, chain), tip, kinds, added, id_offset, at);
CREDENCE_FACT(without_effect, chain::events_replayed, (chain_id, chain), before, place, done, events, rows, at);
CREDENCE_FACT(without_effect, chain::blocks_tried, (chain_id, chain), places, rows);
CREDENCE_FACT(without_effect, chain::blocks_undone, (chain_id, chain), before, tip, at);
CREDENCE_FACT(without_effect, chain::event_reprocessed, (chain_id, chain), tip, before, event, event_name, log_data,
              status, reason, rows, at);
CREDENCE_PART(chain::read_account, service, account, hash);
CREDENCE_PART(chain::text_reading, (kind, of, &chain::wanted_text::kind), (id, of, &chain::wanted_text::id), stamp,
              state, reason, text, metadata, parent, parent_is_target, next_at, wallet, account, amount, person,
              expires_at);
CREDENCE_FACT(without_effect, chain::texts_read, texts, at);

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
