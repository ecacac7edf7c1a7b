#pragma once

#include "actors/kernel/fact.hpp"

#include <bit>
#include <concepts>
#include <limits>
#include <stdexcept>

/// Changes as bytes: short, in one form for ever, and readable without knowing the change. A change is its name, the
/// number of its fields (one byte), and the fields in order, each with its name. A name is its length (one byte) and
/// its text. A value is its kind (one byte) and what follows:
///
///   0  nothing
///   1  an integer: 8 bytes, two's complement (also ids; times, as microseconds since 1970; days since 1970)
///   2  a text: its length (4 bytes) and UTF-8
///   3  bytes: their length (4 bytes) and they themselves
///   4  money: 32 bytes, wei
///   5  a list: the number of its values (4 bytes) and those
///   6  parts: their number (one byte), each a name and a value
///   7  no, 8  yes
///
/// Numbers have their high byte first.
namespace credence {

namespace detail {

enum class binary_kind : std::uint8_t { nothing, integer, text, bytes, money, list, parts, no, yes };

class binary_writer {
public:
  template <std::unsigned_integral T>
  void number(T value) {
    for (int shift = std::numeric_limits<T>::digits - 8; shift >= 0; shift -= 8)
      out += static_cast<char>((value >> shift) & 0xFF);
  }
  void kind(binary_kind which) { number(static_cast<std::uint8_t>(which)); }
  /// Throws std::length_error where a length has no place in its four bytes.
  void length(std::size_t of) {
    if (of > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("a value of a change is longer than 4 GiB");
    number(static_cast<std::uint32_t>(of));
  }
  /// Throws std::length_error where a length has no place in its byte.
  void name(std::string_view text) {
    if (text.size() > std::numeric_limits<std::uint8_t>::max())
      throw std::length_error("the name " + std::string{text} + " is longer than 255 bytes");
    number(static_cast<std::uint8_t>(text.size()));
    out += text;
  }
  void integer(std::int64_t value) {
    kind(binary_kind::integer);
    number(static_cast<std::uint64_t>(value));
  }
  void text(std::string_view value) {
    kind(binary_kind::text);
    length(value.size());
    out += value;
  }
  void bytes(std::span<const std::byte> value) {
    kind(binary_kind::bytes);
    length(value.size());
    for (const auto each : value)
      number(std::to_integer<std::uint8_t>(each));
  }
  void money(const wei& value) {
    kind(binary_kind::money);
    for (std::size_t i = 4; i-- > 0;)
      number(value.limbs()[i]);
  }

  std::string out;
};

template <class T>
void append_binary(binary_writer& to, const T& value);

template <class T>
void append_binary_fields(binary_writer& to, const T& of) {
  to.number(static_cast<std::uint8_t>(std::remove_cvref_t<decltype(fields_of<T>())>::size));
  for_each_field(of, [&](std::string_view name, const auto& value) {
    to.name(name);
    append_binary(to, value);
  });
}

template <class T>
void append_binary(binary_writer& to, const T& value) {
  if constexpr (is_optional<T>::value) {
    if (value)
      append_binary(to, *value);
    else
      to.kind(binary_kind::nothing);
  } else if constexpr (is_vector<T>::value) {
    to.kind(binary_kind::list);
    to.length(value.size());
    for (const auto& each : value)
      append_binary(to, each);
  } else if constexpr (has_parts<T>) {
    to.kind(binary_kind::parts);
    append_binary_fields(to, value);
  } else if constexpr (std::same_as<T, bool>)
    to.kind(value ? binary_kind::yes : binary_kind::no);
  else if constexpr (std::integral<T>)
    to.integer(value);
  else if constexpr (is_id<T>::value)
    to.integer(value.value);
  else if constexpr (std::same_as<T, timestamp>)
    to.integer(std::chrono::floor<std::chrono::microseconds>(value.time_since_epoch()).count());
  else if constexpr (std::same_as<T, std::chrono::sys_days>)
    to.integer(value.time_since_epoch().count());
  else if constexpr (std::same_as<T, wei>)
    to.money(value);
  else if constexpr (std::same_as<T, address>)
    to.bytes(value.bytes);
  else if constexpr (std::convertible_to<const T&, std::string_view>)
    to.text(std::string_view{value});
  else
    to.bytes(value);
}

} // namespace detail

/// One change.
template <described F>
std::string binary_of(const F& change) {
  detail::binary_writer to;
  to.name(fact<F>::name);
  detail::append_binary_fields(to, change);
  return std::move(to.out);
}
template <described... F>
std::string binary_of(const one_of<F...>& change) {
  return visit([](const auto& each) { return binary_of(each); }, change);
}

} // namespace credence
