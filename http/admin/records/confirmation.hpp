#pragma once

#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace credence::http::admin {

/// Dangerous acts on a profile name its id once more, typed: another `confirm` adds a mistake to the body.
inline void expect_confirmation(json_body& body, std::int32_t id) {
  const auto typed = std::to_string(id);
  const auto confirm = body.text("confirm");
  if (body.good() && confirm != std::string_view{typed})
    body.issue("confirm must be the id of the profile, " + typed + (confirm ? ", not " + shown(*confirm) : std::string{}));
}

} // namespace credence::http::admin
