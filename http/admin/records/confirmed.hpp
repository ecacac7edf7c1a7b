#pragma once

#include "actors/domain/ids.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"

#include <string>
#include <string_view>

namespace credence::http::admin {

/// Reads the member `confirm`, where whoever orders an act types the id of its profile once more; what is wrong goes to
/// the body's mistakes.
inline void read_confirmation(json_body& body, profile_id who) {
  const auto typed = std::to_string(who.value);
  if (const auto confirm = body.text("confirm"); body.good() && confirm != std::string_view{typed})
    body.issue("confirm must be the id of the profile, " + typed
               + (confirm ? ", not " + shown(*confirm) : std::string{}));
}

} // namespace credence::http::admin
