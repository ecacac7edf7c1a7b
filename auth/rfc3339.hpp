#pragma once

#include "actors/domain/time.hpp"

#include <optional>
#include <string_view>

namespace credence::auth {

/// Reads a date-time as RFC 3339, 5.6 writes it: `2026-03-01T12:00:00Z`, with any number of
/// digits after the second and `Z` or an offset; `t` and `z` also count. Digits beyond the
/// microsecond are dropped. A second 60 stands only where a leap second may (5.7): at the
/// end of June or December, UTC; it is the instant after 59. Nothing for every other text,
/// such as a day that its month has not.
std::optional<timestamp> parse_rfc3339(std::string_view text);

} // namespace credence::auth
