#pragma once

#include "actors/people/user_types.hpp"
#include "config/settings.hpp"
#include "http/call/json_writer.hpp"

#include <string>
#include <string_view>

namespace credence::http {

/// What a User object depends on besides the user.
struct user_format {
  /// Absolute base of links, without a trailing slash.
  std::string public_url;
  /// Whether the deprecated `stats.vouch` is still written.
  bool with_vouch = false;
};

/// First instant without `stats.vouch`: the end of the day that the settings name,
/// UTC. Throws std::invalid_argument when that is not a date.
timestamp vouch_removed_at(const settings::http& from);

/// `REQUESTED`, `VERIFIED`, `REVOKED` or `PENDING`.
std::string_view name_of(people::human_verification status);

/// Writes a User object with every field of the spec ("User").
void encode(json_writer& to, const people::user& who, const user_format& how);

/// An amount of wei: a JSON integer with all its digits (spec: int64), also where those are
/// more than fit 64 bits, so that a member has one type.
void encode_wei(json_writer& to, std::string_view digits);

} // namespace credence::http
