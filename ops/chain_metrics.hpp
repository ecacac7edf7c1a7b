#pragma once

#include "ops/metrics.hpp"

#include <array>
#include <string>

namespace credence::ops {

/// Words of what follows a chain; in the order of `chain::follow_state`, `chain::event_status` and `chain::text_state`.
inline constexpr std::array<const char*, 6> chain_state_names{"starting",    "backfill", "following",
                                                              "unavailable", "halted",   "replaying"};
inline constexpr std::array<const char*, 3> chain_event_names{"applied", "ignored", "failed"};
inline constexpr std::array<const char*, 3> chain_text_names{"wanted", "here", "failed"};
inline constexpr std::array<const char*, 3> node_answer_names{"good", "failed", "wrong"};

/// The chain that is followed. Positions are numbers of blocks.
struct chain_metrics {
  gauge on; // 1 where a chain is followed
  gauge state;
  gauge head;
  gauge tip;
  gauge safe;
  gauge finalized;
  gauge authority;
  gauge tip_at; // seconds since 1970
  std::array<counter, chain_event_names.size()> events;
  gauge failed; // events that are stored as failed
  counter reorganisations;
  gauge depth_last; // blocks that the last reorganisation took back
  gauge depth_most;
  counter undone_blocks;
  counter id_gaps;          // ids that no log told of
  counter audit_mismatches; // ranges of which a node told other logs than are stored
  gauge range_blocks;       // asked for at a time
  histogram apply;          // from a step that was found to its commit
  std::array<counter, node_answer_names.size()> answers;
  gauge endpoints_wrong;
  gauge endpoints_without_past; // that have no old logs
  gauge texts_wanted;           // that are still to be read from contracts
  gauge texts_failed;           // that could not be read
  gauge texts_oldest;           // since when the oldest one is wanted, seconds since 1970; 0: none is
  gauge balances_differing;     // of vouches, that contracts tell otherwise than events do
  std::array<counter, chain_text_names.size()> texts_read; // attempts, by what the text is after them
  writer_metrics writer;                                   // of records, texts and scores
};

chain_metrics& the_chain_metrics();

/// In the order of `wallets::transaction_state` and `wallets::send_result`.
inline constexpr std::array<const char*, 6> wallet_state_names{"stored",  "sent",     "mined",
                                                               "settled", "replaced", "failed"};
inline constexpr std::array<const char*, 8> wallet_send_names{
  "taken",       "already_known",      "nonce_too_low", "replacement_underpriced",
  "underpriced", "insufficient_funds", "refused",       "unclear"};
inline constexpr std::array<const char*, 2> wallet_grant_names{"granted", "refused"};

/// Managed wallets: what they sign and send.
struct wallet_metrics {
  gauge on;                                             // 1 where managed wallets sign for a chain
  gauge signing;                                        // 0: it is switched off
  gauge open;                                           // transactions that may still change
  std::array<counter, wallet_state_names.size()> moved; // transactions that came into that state
  std::array<counter, wallet_send_names.size()> sends;  // answers of nodes to signed transactions
  std::array<counter, wallet_grant_names.size()> grants;
  counter stuck;     // times that a stuck transaction could not pay more, or had paid more often in vain
  counter conflicts; // looks at which a nonce was used by a transaction that is none of ours
  histogram send;    // from a signed transaction in the database to a node's answer
};

wallet_metrics& the_wallet_metrics();

} // namespace credence::ops
