#pragma once

#include "http/api/chain/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

/// A GET of a caller that may ask a node of the chain: such questions are few.
constexpr route asks_chain(std::string_view path, handler run, quota_class quota) {
  auto out = reads_own(path, run);
  out.quota = quota;
  return out;
}

inline constexpr std::array chain_routes{
  asks_chain("/api/v1/events/process", v1::get_events_process, quota_class::wallet),
  reads("/api/v2/chain/status", v2::get_chain_status),
  asks_chain("/api/v2/transactions/{hash}/processed", v2::get_transaction_processed, quota_class::write),
};

} // namespace credence::http::declare
