#pragma once

#include "actors/chain/chain_types.hpp"

#include <optional>
#include <string>
#include <vector>

/// Rows made of events of projects.
namespace credence::chain {

/// Bytes of the account that a project is of; an index holds no more than some 2,700.
inline constexpr std::size_t project_account_bytes_max = 1000;

struct project_row {
  user_id user;
  std::string userkey; // `service:<service>:<account>`
  bool archived = false;
  std::optional<std::string> name;
  std::string metadata;             // as the event has it
  std::vector<profile_id> managers; // ascending, each once, also those that nobody knows
  unix_time created_at;
  friend bool operator==(const project_row&, const project_row&) = default;
};

} // namespace credence::chain
