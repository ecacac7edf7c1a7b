#pragma once

#include <cstddef>
#include <cstdint>

/// Bounds of bonds and of the human verification that follows from them.
namespace credence::limits {

/// Characters of a bond's type, amount, unit and reason, as the contract has them.
inline constexpr std::size_t bond_word_length_max = 256;
inline constexpr std::size_t bond_statement_length_max = 2000;
/// How long a bond lasts that says nothing else.
inline constexpr int bond_days_default = 1095;
/// Bonds that an answer about a person shows, the newest first.
inline constexpr std::int32_t bonds_shown_max = 100;
/// Verifiers whose bonds must be in force at once for a person to be verified.
inline constexpr std::size_t verifying_bonds_min = 3;

} // namespace credence::limits
