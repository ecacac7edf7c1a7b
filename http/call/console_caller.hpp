#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credence::http::admin {

/// What somebody may do at the console: each may what the one before may, and more.
enum class role : std::uint8_t {
  none,
  wall,      // sees the overview on a screen that nobody watches over
  viewer,    // looks
  operator_, // keeps the service running: logs, intake, actors, keys
  admin,     // also changes what the service is about: periods, projects, money
};
inline constexpr std::array<std::string_view, 5> role_names{"none", "wall", "viewer", "operator", "admin"};
inline std::string_view name_of(role of) noexcept { return role_names[static_cast<std::size_t>(of)]; }

/// How somebody has come in.
enum class entry : std::uint8_t { wallet, link, token };
inline constexpr std::array<std::string_view, 3> entry_names{"wallet", "link", "token"};

/// Who calls the admin listener.
struct caller {
  role may = role::none;
  std::string name; // for people: `profile 7`, `root by a link`
  std::optional<profile_id> profile;
  std::optional<address> wallet; // that signed in
  entry by = entry::token;
  std::string session; // its id; empty for an access token
  std::string from;    // the client's address; of a session
  timestamp signed_in_at{};
  std::optional<timestamp> idle_ends_at; // of a session
  std::optional<timestamp> ends_at;      // of a session
};

} // namespace credence::http::admin
