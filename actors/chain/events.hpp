#pragma once

#include "actors/chain/abi.hpp"
#include "actors/chain/contract_abi.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/kernel/one_of.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What follows from the declaration of one event, or of what a call returns.
namespace credence::chain {

/// Bytes of a log's data; of a longer one only a part is kept, and it is not decoded.
inline constexpr std::size_t log_data_bytes_max = 1024 * 1024;

/// What a log says: its topics, of which the first names the event, and its data.
struct log_content {
  std::vector<digest32> topics;
  std::vector<std::byte> data;
};

/// Values in the order of `T::inputs()`, as a function of a contract returns them; more bytes behind are allowed.
template <class T>
outcome<T, decode_error> decode_values(std::span<const std::byte> data) {
  decoding shared;
  word_reader values{data, shared};
  T out = solidity<T>::read(values);
  if (shared.error())
    return *shared.error();
  return out;
}

// Every event that is known (declared in contracts.abi), and what a log says by the contract it comes from and its
// first topic.

/// An event of any contract.
struct event : made_of<one_of, event_kinds> {
  using all = made_of<credence::one_of, event_kinds>;
  using all::all;
};

/// How an event is stored: `reason` says why it was not applied, and is empty where it was.
struct event_fate {
  event_status status = event_status::applied;
  std::string reason;
  friend bool operator==(const event_fate&, const event_fate&) = default;
};
event_fate failed(decode_error why);
/// Reasons of the fold. A record that the event needs is not there: `missing_vouch`, of a `kind` in small letters.
event_fate failed_missing(std::string_view kind);
/// What the event creates is there already.
event_fate failed_duplicate();
/// A constraint of the database, or a bound, forbids it: `refused:vouches_one_active`.
event_fate failed_refused(std::string_view constraint);

/// A log of a contract of ours that no known event begins with.
struct unknown_topic {};
/// A log of a known event whose topics or data are not what the event's declaration says.
struct undecodable {
  std::string_view event_name;
  decode_error why;
};
using decoded_log = std::variant<event, unknown_topic, undecodable>;

/// Reads a log of a contract of the kind `from`, which is not `any`. Never throws.
decoded_log decode_log(contract_kind from, std::span<const digest32> topics, std::span<const std::byte> data);
/// How a log is stored before the records have had their say: applied, ignored as `unknown_topic`, or failed.
event_fate fate_of(const decoded_log& log);

/// The log that an event is written as.
log_content encode_log(const event& entry);

std::string_view name_of(const event& entry);
/// `{"eventName":"ProfileCreated","args":{"profileId":7,…}}` with the contract's names. Integers are numbers from
/// -(2^53 - 1) to 2^53 - 1 and decimal strings beyond that; addresses carry their checksum; bytes are hex with `0x`.
std::string log_data(const event& entry);

/// What is known of an event.
struct event_info {
  contract_kind contract;
  std::string_view name;
  std::string signature;
  digest32 topic;
};
/// All of them, in the order of `event`.
std::span<const event_info> known_events();

} // namespace credence::chain
