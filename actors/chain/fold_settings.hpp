#pragma once

#include "actors/chain/contract_kind.hpp"
#include "actors/domain/address.hpp"

#include <cstdint>
#include <map>

/// What the rows that events are folded into depend on, besides the events.
namespace credence::chain {

/// Fees of vouches in ether, in basis points: those that go to the protocol, to the subject and to earlier vouchers
/// when money goes in, and the one when it comes out.
struct vouch_fees {
  std::uint32_t protocol = 100, donation = 100, pool = 400, exit = 100;
};

struct fold_settings {
  std::int32_t id_offset = 0;
  std::map<address, contract_kind> contracts; // those that are followed
  vouch_fees fees_at_first = {};              // in force until the contract tells of others
};

} // namespace credence::chain
