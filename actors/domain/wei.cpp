#include "actors/domain/wei.hpp"

#include <algorithm>

namespace credence {

namespace {

__extension__ using uint128 = unsigned __int128;

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

} // namespace

limbs256 to_limbs(const uint256& number) {
  static_assert(sizeof(*number.backend().limbs()) == sizeof(std::uint64_t));
  limbs256 out{};
  std::copy_n(number.backend().limbs(), number.backend().size(), out.begin());
  return out;
}

uint256 from_limbs(const limbs256& limbs) {
  uint256 out;
  auto& number = out.backend();
  number.resize(limbs.size(), limbs.size());
  std::copy(limbs.begin(), limbs.end(), number.limbs());
  number.normalize();
  return out;
}

std::string decimal(const wei& amount) {
  auto rest = to_limbs(amount);
  char text[5 * piece_digits]; // filled from its end
  auto* const end = std::end(text);
  auto* at = end;
  for (std::size_t limbs = amount.backend().size(); limbs > 0;) {
    auto piece = divide(rest, limbs, piece_unit);
    while (limbs > 0 && rest[limbs - 1] == 0)
      --limbs;
    for (std::size_t i = 0; limbs > 0 ? i < piece_digits : piece > 0; ++i, piece /= 10)
      *--at = static_cast<char>('0' + piece % 10);
  }
  return at == end ? "0" : std::string{at, end};
}

std::string decimal(const wei_change& change) {
  const auto size = decimal(static_cast<wei>(abs(change)));
  return change < 0 ? "-" + size : size;
}

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
  return from_limbs(number);
}

std::optional<wei> parse_bigint(std::string_view text) {
  if (text.ends_with('n'))
    text.remove_suffix(1);
  return parse_wei(text);
}

} // namespace credence
