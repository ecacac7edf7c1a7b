#pragma once

#include "ops/metrics.hpp"

#include <array>

namespace credence::ops {

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
