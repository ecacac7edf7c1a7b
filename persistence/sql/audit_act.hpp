#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace credence::persistence {

/// The content of an audit row, without the request's origin.
struct audit_act {
  timestamp at{};
  std::string_view name;
  std::optional<profile_id> profile;
  std::string subject;
  std::optional<std::string> before = {};
  std::optional<std::string> after = {};
  std::string signed_by = {}; // the wallet, where a signature says who it is
};

} // namespace credence::persistence
