#pragma once

#include "actors/reputation/activity_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

#include <string>

namespace credence::http {

/// Whoever did something, or to whom it was done, as activities and version 1 show people; null where there is nobody.
void encode_actor(json_writer& to, const people::user* who);

/// An activity (docs/api/activities.md): moments are Unix seconds, links begin with `public_url`.
void encode_activity(json_writer& to, user_cards& cards, const reputation::feed_row& row,
                     const reputation::named_users& users, const std::string& public_url);

} // namespace credence::http
