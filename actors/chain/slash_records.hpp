#pragma once

#include "actors/chain/chain_records.hpp"
#include "actors/chain/contract_abi.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Rows of slashes that are made of events. What the votes on a slash come to, and whom it costs score, the database
/// works out when the slash closes (`judge_chain_slash` in 0008_slashes.sql).
namespace credence::chain {

/// What ended a slash: its time, its author or an admin of the contract, or the contract's own count.
enum class slash_end : std::uint8_t { time, cancelled, resolved };
inline constexpr std::array<std::string_view, 3> slash_end_words{"time", "cancelled", "resolved"};
inline constexpr std::array<std::string_view, enum_size<slash_type>> slash_type_words{"SCORE", "FINANCIAL", "XP"};
inline constexpr std::array<std::string_view, enum_size<slash_resolution>> slash_resolution_words{
  "PENDING", "CANCELLED", "SLASHED", "DEFENDED", "INCONCLUSIVE"};

struct slash_row {
  profile_id author;
  subject_key subject;                       // an address, or the hash of an account
  user_id user;                              // whom that named when the slash was opened; 0: nobody known
  std::optional<profile_id> subject_profile; // of that user
  slash_type type{};
  std::int32_t amount = 0;     // points, hundredths of a percent, or XP
  std::int32_t duration_s = 0; // from `created_at`
  std::string comment, metadata;
  unix_time created_at;
  std::optional<slash_end> ended_by;          // none: it is open
  std::optional<unix_time> closed_at;         // likewise
  std::optional<slash_resolution> resolution; // that the contract told last
  uint256 resolution_bps;                     // beside it
  bool executed = false;

  unix_time ends_at() const { return {created_at.seconds + duration_s}; }
  friend bool operator==(const slash_row&, const slash_row&) = default;
};

/// The ends of open slashes.
struct by_slash_end {
  std::vector<unix_time> operator()(const slash_row& row) const {
    return row.ended_by ? std::vector<unix_time>{} : std::vector<unix_time>{row.ends_at()};
  }
};

} // namespace credence::chain
