#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/address.hpp"
#include "actors/wallets/action_calls.hpp"

#include <cstdint>
#include <map>

namespace credence::http {

/// How actions become transactions of a managed wallet; one for all threads, constant.
struct wallet_rules {
  chain::record_kinds kinds; // of records that are made of events: those of other kinds are written over the API
  wallets::action_calls calls;
  std::map<chain::contract_kind, address> contracts;
  std::int32_t id_offset = 0; // added to the ids that contracts give
};

} // namespace credence::http
