#pragma once

#include "actors/chain/chain_records.hpp"

#include <optional>
#include <string>
#include <string_view>

/// Rows of bonds that are made of events. Whom a bond is about, its statement and its first expiration lie in the
/// contract.
namespace credence::chain {

using bond_id = id<bond_tag>;

struct bond_row {
  profile_id author;
  std::string type, amount, amount_type; // as texts
  std::optional<std::string> expiration; // as an event told it last
  std::optional<unix_time> expires_at;   // of the last expiration that could be read
  std::optional<unix_time> archived_at;  // for good
  std::optional<address> archived_by;
  std::string archive_reason;
  unix_time created_at, updated_at;
  friend bool operator==(const bond_row&, const bond_row&) = default;
};

/// When a bond expires by a text: an ISO 8601 date (its last second) or time with `Z` or an offset, or seconds or
/// milliseconds since 1970. Nothing for every other text.
std::optional<unix_time> expiration_in(std::string_view text);

} // namespace credence::chain
