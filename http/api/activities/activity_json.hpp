#pragma once

#include "actors/reputation/activity_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

#include <string>

namespace credence::http {

/// An activity (docs/api/activities.md): moments are Unix seconds, links begin with `public_url`.
void encode_activity(json_writer& to, user_cards& cards, const reputation::feed_row& row, const reputation::named_users& users,
                     const std::string& public_url);

} // namespace credence::http
