#pragma once

#include "actors/chain/follow_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// A receipt as version 1 tells it: large numbers are texts that end with `n`.
void encode(json_writer& to, const chain::tx_receipt& receipt);
/// An event record: `{id, txHash, blockNumber, …}`.
void encode(json_writer& to, const chain::event_record& record);
/// `lagSeconds` is the age of the tip at `now`.
void encode(json_writer& to, const chain::chain_status& status, timestamp now);

/// The event of a transaction that is told of: the first one but for those of tokens, rewards and administration, if
/// there is another. Null where it has none.
const chain::event_record* main_event(const std::vector<chain::event_record>& of);

} // namespace credence::http
