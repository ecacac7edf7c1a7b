#pragma once

#include "actors/wallets/wallet_node.hpp"
#include "http/outside/chain_rpc_errors.hpp"

namespace credence::http {

/// What an error in answer to `eth_sendRawTransaction` means. Most errors have no standard code, so the message is
/// searched; one that is not known is `unclear`, as some nodes answer with an error after they took the transaction.
wallets::send_result result_of(const rpc_error& error);

} // namespace credence::http
