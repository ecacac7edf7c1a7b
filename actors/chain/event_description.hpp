#pragma once

#include "actors/chain/abi_types.hpp"

#include <string_view>

/// Every event of a contract is declared once, as a struct in actors/chain/events/:
///
///   struct profile_created {
///     static constexpr event_name is{contract_kind::profile, "ProfileCreated"};
///     onchain_profile profile;
///     address addr;
///     static constexpr auto inputs() {
///       using self = profile_created;
///       return field_list{indexed("profileId", &self::profile), indexed("addr", &self::addr)};
///     }
///   };
///
/// `inputs()` lists them in the contract's order and by its names. From that come the signature, the topic that names
/// the event in a log, decoding, encoding, and the JSON of its record (events.hpp).
namespace credence::chain {

/// Which contract emits an event, and what the contract calls it.
struct event_name {
  contract_kind contract;
  std::string_view text;
};

} // namespace credence::chain
