#pragma once

#include "persistence/migrations/migrate.hpp"

#include <span>
#include <string>
#include <string_view>

namespace credence::persistence {

/// Until 2026-11-29 the schema was made by 53 steps, of which many replaced what earlier ones had made. The baseline is
/// what they came to, by area: the first migrations of this build. A database that took all 53 keeps its rows and takes
/// their history.
inline constexpr std::size_t baseline_migrations = 14;
inline constexpr std::string_view first_former_step = "0001_foundation.sql";
/// SHA-256 of the lines "version name checksum" of the 53, in hex.
inline constexpr std::string_view former_history_digest =
  "f09ff66a7313073219e7aef96e1661b31616544a236d118e375d38f7f2ee1df0";

/// SQL that brings the schema of the 53 steps to that of the baseline: names that tables had while they were made anew,
/// and one function in place of six. `build` begins with the baseline.
std::string to_baseline(std::span<const migration> build);

} // namespace credence::persistence
