#include "actors/domain/wei.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace credence {

namespace {

using detail::uint128;

constexpr std::size_t digits_max = 78; // of 2^256 - 1

// Numbers go to and from text in pieces of as many digits as fit into 64 bits.
constexpr std::size_t piece_digits = 19;
constexpr std::uint64_t piece_unit = 10'000'000'000'000'000'000U;

/// Divides in place; what remains.
std::uint64_t divide(limbs256& number, std::size_t limbs, std::uint64_t divisor) {
  std::uint64_t rest = 0;
  for (auto i = limbs; i-- > 0;) {
    const auto part = uint128{rest} << 64 | number[i];
    number[i] = static_cast<std::uint64_t>(part / divisor);
    rest = static_cast<std::uint64_t>(part % divisor);
  }
  return rest;
}

/// Multiplies and adds in place; false when that does not fit.
bool append(limbs256& number, std::uint64_t factor, std::uint64_t summand) {
  for (auto& limb : number) {
    const auto part = uint128{limb} * factor + summand;
    limb = static_cast<std::uint64_t>(part);
    summand = static_cast<std::uint64_t>(part >> 64);
  }
  return summand == 0;
}

/// How many limbs are not zeros at the top.
std::size_t size_of(const limbs256& limbs) noexcept {
  auto size = limbs.size();
  while (size > 0 && limbs[size - 1] == 0)
    --size;
  return size;
}

// What is rare or needs more than 256 bits is left to the library.
using cpp_int_256 = boost::multiprecision::uint256_t;

template <class Number>
Number widen(const uint256& number) {
  static_assert(sizeof(*Number{}.backend().limbs()) == sizeof(std::uint64_t));
  Number out;
  auto& to = out.backend();
  to.resize(number.limbs().size(), number.limbs().size());
  std::copy(number.limbs().begin(), number.limbs().end(), to.limbs());
  to.normalize();
  return out;
}

/// Of one below 2^256.
template <class Number>
uint256 narrow(const Number& number) {
  limbs256 out{};
  std::copy_n(number.backend().limbs(), number.backend().size(), out.begin());
  return uint256{out};
}

} // namespace

void detail::throw_overflow() { throw std::overflow_error("a number does not fit, or a division by zero"); }
void detail::throw_negative() { throw std::range_error("a number below zero where there are none"); }

uint256::uint256(const wei_change& number) : limbs_(abs(number).limbs()) {
  if (number.sign() < 0)
    detail::throw_negative();
}

uint256::operator double() const noexcept {
  const auto width = bit_width(*this);
  const auto shift = width > 64 ? width - 64 : 0;
  return std::ldexp(static_cast<double>((*this >> shift).limbs()[0]), static_cast<int>(shift));
}

uint256& uint256::operator/=(const uint256& b) {
  const auto size = size_of(b.limbs_);
  if (size == 0)
    detail::throw_overflow();
  if (size == 1)
    divide(limbs_, size_of(limbs_), b.limbs_[0]);
  else if (*this < b)
    limbs_ = {};
  else
    *this = narrow(widen<cpp_int_256>(*this) / widen<cpp_int_256>(b));
  return *this;
}

uint256& uint256::operator%=(const uint256& b) {
  const auto size = size_of(b.limbs_);
  if (size == 0)
    detail::throw_overflow();
  if (size == 1)
    *this = divide(limbs_, size_of(limbs_), b.limbs_[0]);
  else if (*this >= b)
    *this = narrow(widen<cpp_int_256>(*this) % widen<cpp_int_256>(b));
  return *this;
}

uint256& uint256::operator<<=(unsigned bits) {
  if (const auto width = bit_width(*this); width != 0 && width + bits > 256)
    detail::throw_overflow();
  limbs256 out{};
  const auto whole = bits / 64, part = bits % 64;
  for (std::size_t i = out.size(); i-- > whole;) {
    out[i] = limbs_[i - whole] << part;
    if (part != 0 && i > whole)
      out[i] |= limbs_[i - whole - 1] >> (64 - part);
  }
  limbs_ = out;
  return *this;
}

uint256& uint256::operator>>=(unsigned bits) noexcept {
  limbs256 out{};
  const auto whole = bits / 64, part = bits % 64;
  for (std::size_t i = 0; i + whole < out.size(); ++i) {
    out[i] = limbs_[i + whole] >> part;
    if (part != 0 && i + whole + 1 < out.size())
      out[i] |= limbs_[i + whole + 1] << (64 - part);
  }
  limbs_ = out;
  return *this;
}

uint256 gcd(const uint256& a, const uint256& b) { // Euclid's; Boost 1.81's fails from 2^191 on
  auto greater = a, smaller = b;
  while (smaller != 0U)
    greater = std::exchange(smaller, greater % smaller);
  return greater;
}

std::optional<uint256> multiply_divide(const uint256& a, const uint256& b, const uint256& divisor) {
  if (divisor == 0U)
    detail::throw_overflow();
  using wide = boost::multiprecision::uint512_t;
  const wide out = widen<wide>(a) * widen<wide>(b) / widen<wide>(divisor);
  return out.backend().size() <= 4 ? std::optional{narrow(out)} : std::nullopt;
}

wei_change::operator std::int64_t() const {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (size_ > most + (negative_ ? 1 : 0))
    detail::throw_overflow();
  const auto bits = size_.limbs()[0];
  return static_cast<std::int64_t>(negative_ ? std::uint64_t{0} - bits : bits);
}

std::string decimal(const wei& amount) {
  auto rest = amount.limbs();
  char text[5 * piece_digits]; // filled from its end
  auto* const end = std::end(text);
  auto* at = end;
  for (std::size_t limbs = size_of(rest); limbs > 0;) {
    auto piece = divide(rest, limbs, piece_unit);
    while (limbs > 0 && rest[limbs - 1] == 0)
      --limbs;
    for (std::size_t i = 0; limbs > 0 ? i < piece_digits : piece > 0; ++i, piece /= 10)
      *--at = static_cast<char>('0' + piece % 10);
  }
  return at == end ? "0" : std::string{at, end};
}

std::string decimal(const wei_change& change) {
  const auto size = decimal(abs(change));
  return change.sign() < 0 ? "-" + size : size;
}

std::ostream& operator<<(std::ostream& to, const uint256& number) { return to << decimal(number); }
std::ostream& operator<<(std::ostream& to, const wei_change& number) { return to << decimal(number); }

std::optional<wei> parse_wei(std::string_view text) {
  if (text.empty() || text.size() > digits_max || (text.size() > 1 && text.front() == '0'))
    return std::nullopt;
  limbs256 number{};
  while (!text.empty()) {
    const auto piece = text.substr(0, (text.size() - 1) % piece_digits + 1); // later ones are whole
    std::uint64_t value = 0;
    for (const char c : piece) {
      if (c < '0' || c > '9')
        return std::nullopt;
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (!append(number, piece_unit, value))
      return std::nullopt;
    text.remove_prefix(piece.size());
  }
  return wei{number};
}

std::optional<wei> parse_bigint(std::string_view text) {
  if (text.ends_with('n'))
    text.remove_suffix(1);
  return parse_wei(text);
}

} // namespace credence
