#pragma once

#include "actors/chain/chain_node.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a node means by an error. Most errors have no standard code, so the message text is searched.
namespace credence::http {

/// An error object of JSON-RPC 2.0, section 5.1.
struct rpc_error {
  std::int64_t code = 0;
  std::string message; // at most 1,000 bytes of it
  std::string data;    // bytes that a contract returned when it refused a call; at most 4,096 of them
  friend bool operator==(const rpc_error&, const rpc_error&) = default;
};

/// What to do about an error.
enum class rpc_trouble : std::uint8_t {
  range_too_large, // ask for fewer blocks
  rate_limited,    // ask later
  unknown_block,   // the endpoint is behind: ask another
  not_supported,   // the endpoint does not know the method
  reverted,        // the contract refused a call
  other,           // ask again, then another
};

/// Reads the code and the text of an error in answer to `eth_getLogs`.
rpc_trouble trouble_with_logs(const rpc_error& error);
/// The same for every other method, where no range can be too large.
rpc_trouble trouble_of(const rpc_error& error);

/// The range that an error proposes instead, such as `[0x1a, 0x2b]` or `1000-2000`; it may be any.
std::optional<chain::block_range> suggested_range(std::string_view message);

} // namespace credence::http
