#pragma once

#include "http/call/route.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

/// What callers of an endpoint that goes away are told.
struct deprecation {
  std::chrono::sys_days since;
  std::optional<std::chrono::sys_days> sunset;
  std::string link; // why, and what to use instead; may be empty

  /// Deprecation (RFC 9745), Sunset (RFC 8594) and Link, each ending in CRLF.
  std::string head() const;
};

/// Reads `since [sunset] [link]`, days as YYYY-MM-DD; when it is not that, `why` says what
/// would be right.
std::optional<deprecation> parse_deprecation(std::string_view text, std::string& why);

/// What is known of a route: a line of `listed` (`METHOD path since [sunset] [link]`), else
/// what the table says of it. Everything below /api/v1 is deprecated without either.
std::optional<deprecation> deprecation_of(const route& route, std::span<const std::string> listed);

/// Lines of `listed` that are wrong, or name no route; one line each.
std::vector<std::string> deprecation_mistakes(std::span<const std::string> listed, std::span<const route> routes);

/// `GET`, `POST`…
std::string_view name_of(method verb) noexcept;

} // namespace credence::http
