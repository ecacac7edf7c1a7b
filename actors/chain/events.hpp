#pragma once

#include "actors/chain/abi.hpp"
#include "actors/chain/contract_abi.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/kernel/one_of.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

namespace detail {

/// What is done with a value whose type only its event knows. One set of functions for each type, not for each event.
struct type_functions {
  void (*append_type)(std::string& to);
  void (*read)(word_reader& in, void* to);
  void (*add)(tuple_writer& to, const void* data);
  void (*append_topic)(std::string& to, const void* data);
  void (*append_json)(std::string& to, const void* data);
  std::size_t head_bytes;
};
template <class T>
inline constexpr type_functions functions_of{
  &solidity<T>::append_type,
  [](word_reader& in, void* to) { *static_cast<T*>(to) = read_in_place<T>(in); },
  [](tuple_writer& to, const void* data) { to.add(*static_cast<const T*>(data)); },
  [](std::string& to, const void* data) { solidity<T>::append(to, *static_cast<const T*>(data)); },
  [](std::string& to, const void* data) { solidity<T>::append_json(to, *static_cast<const T*>(data)); },
  head_bytes<T>(),
};

/// An input of some event.
struct event_input {
  std::string_view name;
  bool indexed;
  const void* (*in)(const void* event); // where it is in the event
  const type_functions* type;
};
template <class E, class T>
constexpr const type_functions* functions_for(const input<E, T>&) {
  return &functions_of<T>;
}
template <class E, std::size_t I>
constexpr event_input event_input_of() {
  constexpr auto from = E::inputs().template at<I>();
  static_assert(!(from.indexed && dynamic_input(from)),
                "a topic holds one word: of a text its hash, so declare a text_hash");
  return {from.name, from.indexed,
          [](const void* data) -> const void* {
            return &(static_cast<const E*>(data)->*E::inputs().template at<I>().member);
          },
          functions_for(from)};
}
template <class E>
inline constexpr auto event_inputs = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<event_input, sizeof...(I)>{event_input_of<E, I>()...};
}
(std::make_index_sequence<decltype(E::inputs())::size>{});

using event_inputs_view = std::span<const event_input>;
std::string signature(std::string_view name, event_inputs_view inputs);
std::optional<decode_error> read_event(event_inputs_view inputs, std::span<const digest32> topics,
                                       std::span<const std::byte> data, void* to);
log_content write_event(event_inputs_view inputs, const digest32& topic, const void* data);
/// `{"eventName":…,"args":{…}}`.
std::string event_json(std::string_view name, event_inputs_view inputs, const void* data);

} // namespace detail

/// `ProfileCreated(uint256,address)`.
template <class E>
std::string signature_of() {
  return detail::signature(E::is.text, detail::event_inputs<E>);
}

/// The topic that names the event: Keccak-256 of its signature. Worked out once.
template <class E>
const digest32& topic_of() {
  static const digest32 topic = keccak256(signature_of<E>());
  return topic;
}

/// How many of its inputs are topics.
template <class E>
constexpr std::size_t indexed_inputs() {
  std::size_t out = 0;
  for (const auto& each : detail::event_inputs<E>)
    out += each.indexed ? 1 : 0;
  return out;
}

/// Reads the event from a log whose first topic is `topic_of<E>()`.
template <class E>
outcome<E, decode_error> decode_event(std::span<const digest32> topics, std::span<const std::byte> data) {
  E out;
  if (const auto error = detail::read_event(detail::event_inputs<E>, topics, data, &out))
    return *error;
  return out;
}

/// The log that the event is written as; the opposite of `decode_event`.
template <class E>
log_content encode_event(const E& value) {
  return detail::write_event(detail::event_inputs<E>, topic_of<E>(), &value);
}

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
