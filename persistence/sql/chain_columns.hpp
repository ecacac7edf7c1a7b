#pragma once

#include "actors/chain/chain_records.hpp"
#include "actors/domain/time.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string_view>

/// What columns of rows that events make say, in the words of the fold.
namespace credence::persistence {

inline chain::unix_time seconds_of(timestamp at) {
  return {std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count()};
}
inline std::optional<chain::unix_time> seconds_of(const std::optional<timestamp>& at) {
  return at ? std::optional{seconds_of(*at)} : std::nullopt;
}

inline chain::contract_kind contract_in(std::string_view name) {
  return chain::contract_named(name).value_or(chain::contract_kind::any);
}

/// A subject by the bytes of its column (chain::bytes_of).
inline chain::subject_key key_of(std::string_view raw) {
  const auto bytes = std::as_bytes(std::span{raw});
  if (bytes.size() == 20) {
    address which;
    std::copy(bytes.begin(), bytes.end(), which.bytes.begin());
    return which;
  }
  if (bytes.size() == 32) {
    digest32 hash{};
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
  }
  std::uint32_t id = 0;
  for (const auto each : bytes)
    id = id << 8 | static_cast<std::uint32_t>(each);
  return profile_id{static_cast<std::int32_t>(id)};
}

} // namespace credence::persistence
