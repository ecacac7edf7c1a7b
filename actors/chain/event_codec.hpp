#pragma once

#include "actors/chain/abi_types.hpp"
#include "actors/chain/event_description.hpp"
#include "actors/domain/keccak.hpp"
#include "actors/domain/outcome.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
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

/// `ProfileCreated(uint256,address)`.
template <class E>
std::string signature_of() {
  std::string out{E::is.text};
  detail::append_types<E>(out);
  return out;
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
  return std::apply([](const auto&... each) { return (std::size_t{each.indexed} + ... + 0); }, E::inputs());
}

/// Reads the event from a log whose first topic is `topic_of<E>()`.
template <class E>
outcome<E, decode_error> decode_event(std::span<const digest32> topics, std::span<const std::byte> data) {
  if (topics.size() != 1 + indexed_inputs<E>())
    return decode_error::bad_topics;
  if (data.size() > log_data_bytes_max)
    return decode_error::too_long;
  E out;
  decoding shared;
  word_reader values{data, shared};
  std::size_t topic = 1;
  const auto take = [&]<class T>(const input<E, T>& each) {
    if (each.indexed) {
      word_reader one{topics[topic++], shared};
      out.*each.member = detail::read_in_place<T>(one);
    } else
      out.*each.member = detail::read_in_place<T>(values);
  };
  std::apply([&](const auto&... each) { (take(each), ...); }, E::inputs());
  if (shared.error())
    return *shared.error();
  return out;
}

namespace detail {
std::vector<std::byte> to_bytes(const std::string& text);
digest32 only_word(const std::string& text);
} // namespace detail

/// The log that the event is written as; the opposite of `decode_event`.
template <class E>
log_content encode_event(const E& what) {
  log_content out;
  out.topics.push_back(topic_of<E>());
  const auto heads = std::apply([](const auto&... each) { return ((each.indexed ? 0 : detail::head_bytes_of(each)) + ... + 0); }, E::inputs());
  detail::tuple_writer values{heads};
  const auto put = [&]<class T>(const input<E, T>& each) {
    if (!each.indexed)
      return values.add(what.*each.member);
    std::string topic;
    solidity<T>::append(topic, what.*each.member);
    out.topics.push_back(detail::only_word(topic));
  };
  std::apply([&](const auto&... each) { (put(each), ...); }, E::inputs());
  out.data = detail::to_bytes(values.bytes());
  return out;
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

} // namespace credence::chain
