#pragma once

#include "actors/chain/events.hpp"
#include "tests/there.hpp"

#include <cstdint>
#include <random>

/// Values and events made from a seed.
namespace credence::chain::samples {

inline std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}

inline address address_of(unsigned char last) {
  address out;
  out.bytes[0] = std::byte{0xC0};
  out.bytes[19] = std::byte{last};
  return out;
}

inline digest32 hash_of(unsigned char last) {
  digest32 out{};
  out[0] = std::byte{0x1D};
  out[31] = std::byte{last};
  return out;
}

using dice_type = std::mt19937_64;

inline std::size_t below(dice_type& dice, std::size_t bound) { return static_cast<std::size_t>(dice() % bound); }

template <class Bytes>
void fill(Bytes& bytes, dice_type& dice) {
  for (auto& each : bytes)
    each = static_cast<std::byte>(dice() & 0xFF);
}

/// Small, large and extreme numbers alike.
inline uint256 random_number(dice_type& dice) {
  limbs256 limbs{};
  const auto used = below(dice, 5);
  for (std::size_t i = 0; i < used; ++i)
    limbs[i] = below(dice, 4) == 0 ? ~0ULL : dice();
  return uint256{limbs};
}

inline std::string random_text(dice_type& dice) {
  static constexpr std::string_view pieces[]{"a",  "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x99\x82",
                                             "\"", "\\",       "\n",           "0x"};
  std::string out;
  for (auto left = below(dice, 40); left > 0; --left)
    out += pieces[below(dice, std::size(pieces))];
  return out;
}

/// Any value that the type can hold.
template <class T>
void make(T& out, dice_type& dice) {
  if constexpr (detail::tuple_like<T>)
    T::inputs().apply([&](const auto&... each) { (make(out.*each.member, dice), ...); });
  else if constexpr (std::same_as<T, address>)
    fill(out.bytes, dice);
  else if constexpr (std::same_as<T, digest32>)
    fill(out, dice);
  else if constexpr (std::same_as<T, text_hash>)
    fill(out.value, dice);
  else if constexpr (std::same_as<T, bool>)
    out = dice() % 2 == 0;
  else if constexpr (std::same_as<T, uint256>)
    out = random_number(dice);
  else if constexpr (std::same_as<T, wei_change>) {
    auto limbs = random_number(dice).limbs();
    limbs[3] &= ~0ULL >> 1;
    out = wei_change{uint256{limbs}};
    if (dice() % 2 == 0)
      out = -out - 1;
  } else if constexpr (std::same_as<T, std::uint64_t>)
    out = dice() >> below(dice, 64);
  else if constexpr (std::same_as<T, unix_time> || std::same_as<T, span_of_time>)
    out.seconds = static_cast<std::int64_t>(dice() % (limits::unix_seconds_max + 1ULL));
  else if constexpr (std::same_as<T, people::account_service>)
    out = static_cast<T>(below(dice, people::service_names.size()));
  else if constexpr (std::is_enum_v<T>)
    out = static_cast<T>(below(dice, enum_size<T>));
  else if constexpr (std::same_as<T, std::string>)
    out = random_text(dice);
  else if constexpr (std::same_as<T, std::vector<std::byte>>) {
    out.resize(below(dice, 100));
    fill(out, dice);
  } else if constexpr (requires { out.push_back({}); }) {
    out.resize(below(dice, 6));
    for (auto& each : out)
      make(each, dice);
  } else
    out.value = static_cast<std::int32_t>(dice() >> 33 >> below(dice, 31));
}

template <class E>
E random_event(dice_type& dice) {
  E out;
  make(out, dice);
  return out;
}

/// Calls `visit` as a template of each kind of event.
template <class Visit>
void for_each_event(Visit visit) {
  [&]<class... E>(types<E...>) { (visit.template operator()<E>(), ...); }(event_kinds{});
}

} // namespace credence::chain::samples
