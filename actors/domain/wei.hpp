#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credence {

/// Whole numbers from 0 to 2^256 - 1, as the Ethereum machine knows them. What does not fit (also a
/// negative difference) throws std::range_error or std::overflow_error instead of wrapping around.
using uint256 = boost::multiprecision::checked_uint256_t;

/// An amount of ether, in its smallest unit: 10^18 wei are one ether.
using wei = uint256;
/// By how much an amount changes: from -(2^256 - 1) to 2^256 - 1.
using wei_change = boost::multiprecision::checked_int256_t;

/// Decimal digits, after a minus when it is below zero.
std::string decimal(const wei& amount);
std::string decimal(const wei_change& change);

/// Reads decimal digits only, without a sign or a zero in front; nothing when they are not that, or
/// from 2^256 on.
std::optional<wei> parse_wei(std::string_view text);
/// The same, or with one `n` behind, as JavaScript writes a BigInt.
std::optional<wei> parse_bigint(std::string_view text);

/// A number in 64-bit pieces, the least first.
using limbs256 = std::array<std::uint64_t, 4>;
limbs256 to_limbs(const uint256& number);
uint256 from_limbs(const limbs256& limbs);

} // namespace credence
