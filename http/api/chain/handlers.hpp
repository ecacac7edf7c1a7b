#pragma once

#include "http/call/call.hpp"

namespace credence::http::v1 {

/// GET /api/v1/events/process
void get_events_process(call& c);

} // namespace credence::http::v1

namespace credence::http::v2 {

/// GET /api/v2/chain/status
void get_chain_status(call& c);
/// GET /api/v2/transactions/{hash}/processed
void get_transaction_processed(call& c);

} // namespace credence::http::v2
