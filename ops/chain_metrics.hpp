#pragma once

#include "ops/metrics.hpp"

#include <array>

namespace credence::ops {

/// Words of what follows a chain; in the order of `chain::follow_state`, `chain::event_status` and `chain::text_state`.
inline constexpr std::array<const char*, 6> chain_state_names{"starting",    "backfill", "following",
                                                              "unavailable", "halted",   "replaying"};
inline constexpr std::array<const char*, 3> chain_event_names{"applied", "ignored", "failed"};
inline constexpr std::array<const char*, 3> chain_text_names{"wanted", "here", "failed"};
inline constexpr std::array<const char*, 3> node_answer_names{"good", "failed", "wrong"};

/// The chain that is followed; exposed only where there is one. Positions are numbers of blocks.
struct chain_metrics : metric_group {
  gauge on;    // 1 where a chain is followed
  gauge state; // in the order of `chain_state_names`
  gauge head{*this, "credence_chain_head", "Newest block of the node asked last."};
  gauge tip{*this, "credence_chain_tip", "Last block that is stored."};
  gauge tip_at; // seconds since 1970
  gauge safe{*this, "credence_chain_safe", "Newest safe block of the node asked last."};
  gauge finalized{*this, "credence_chain_finalized", "Newest final block that is known."};
  gauge authority{*this, "credence_chain_authority", "Newest block that rights rest on; they rest on blocks up to it."};
  by_label<counter, chain_event_names> events{*this, "credence_chain_events_total",
                                              "Events stored, by what became of them.", "status"};
  gauge failed{*this, "credence_chain_failed", "Events that are stored as failed."};
  counter reorganisations{*this, "credence_chain_reorganisations_total",
                          "Reorganisations, each once, in however many pieces its blocks were taken back."};
  counter undone_blocks{*this, "credence_chain_undone_blocks_total", "Blocks that were taken back."};
  counter id_gaps{*this, "credence_chain_id_gaps_total", "Times ids of a contract were missing that no node told of."};
  counter audit_mismatches{*this, "credence_chain_audit_mismatch_total",
                           "Ranges of past blocks of which a node told other logs than are stored."};
  gauge depth_last{*this, "credence_chain_reorganisation_depth_last", "Blocks that the last reorganisation took back."};
  gauge depth_most{*this, "credence_chain_reorganisation_depth_most",
                   "Blocks that the deepest reorganisation took back."};
  gauge range_blocks{*this, "credence_chain_range_blocks", "Blocks that are asked for at a time."};
  histogram apply{*this, "credence_chain_apply_seconds", "From a step that was found to its commit.",
                  bucket_detail::half};
  by_label<counter, node_answer_names> answers{*this, "credence_chain_node_answers_total",
                                               "Questions to nodes, by how they ended.", "result"};
  gauge endpoints_wrong{*this, "credence_chain_endpoints_wrong",
                        "Nodes that told what cannot be true, or are of another chain."};
  gauge endpoints_without_past{*this, "credence_chain_endpoints_without_past",
                               "Nodes that lack the logs of chain.start_block, and are not asked for old blocks."};
  gauge texts_wanted{*this, "credence_chain_texts_wanted",
                     "Texts of records that are still to be read from contracts, counted to 100,000."};
  gauge texts_failed{*this, "credence_chain_texts_failed",
                     "Texts of records that contracts do not return, counted to 100,000."};
  gauge balances_differing{*this, "credence_chain_balances_differing",
                           "Vouches whose balance contracts tell otherwise than events come to, counted to 100,000."};
  gauge texts_oldest; // since when the oldest one is wanted, seconds since 1970; 0: none is
  by_label<counter, chain_text_names> texts_read{
    *this, "credence_chain_texts_read_total",
    "Attempts to read a text from a contract, by what the text is after them.", "state"};
  writer_metrics writer{"credence_chain_store"}; // of records, texts and scores
};

chain_metrics& the_chain_metrics();

/// In the order of `wallets::transaction_state` and `wallets::send_result`.
inline constexpr std::array<const char*, 6> wallet_state_names{"stored",  "sent",     "mined",
                                                               "settled", "replaced", "failed"};
inline constexpr std::array<const char*, 8> wallet_send_names{
  "taken",       "already_known",      "nonce_too_low", "replacement_underpriced",
  "underpriced", "insufficient_funds", "refused",       "unclear"};
inline constexpr std::array<const char*, 2> wallet_grant_names{"granted", "refused"};

/// Managed wallets: what they sign and send; told of where there are some.
struct wallet_metrics : metric_group {
  gauge on; // 1 where managed wallets sign for a chain
  gauge signing{*this, "credence_wallet_signing", "Whether managed wallets sign: 1 or 0."};
  gauge open{*this, "credence_wallet_open", "Transactions of managed wallets that may still change."};
  by_label<counter, wallet_state_names> moved{*this, "credence_wallet_transactions_total",
                                              "Transactions of managed wallets, by the state that they came into.",
                                              "state"};
  by_label<counter, wallet_send_names> sends{*this, "credence_wallet_sends_total",
                                             "Signed transactions that were given to a node, by its answer.", "result"};
  by_label<counter, wallet_grant_names> grants{*this, "credence_wallet_grants_total",
                                               "Wishes of wallets for gas, by what the funding account did.", "result"};
  counter stuck{*this, "credence_wallet_stuck_total",
                "Times a fee was to be raised above what the settings allow."}; // or was raised more often in vain
  counter conflicts{*this, "credence_wallet_conflicts_total",
                    "Looks at which a stranger's transaction had used a nonce."};
  histogram send{*this, "credence_wallet_send_seconds", "From a transaction in the database to a node's answer.",
                 bucket_detail::half};
};

wallet_metrics& the_wallet_metrics();

} // namespace credence::ops
