#pragma once

#include "actors/people/user_types.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace credence::http {

/// A user's status as clients read it.
constexpr std::string_view name_of(people::user_status status) {
  constexpr std::array<std::string_view, 3> names{"ACTIVE", "INACTIVE", "MERGED"};
  return names[static_cast<std::size_t>(status)];
}

} // namespace credence::http
