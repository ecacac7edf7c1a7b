#pragma once

#include "actors/people/people_actor.hpp"
#include "http/api/people/questions.hpp"
#include "http/call/call.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

#include <optional>
#include <utility>

/// Reads of anybody whom `userkey` names, and of the caller without it.
namespace credence::http {

/// The `userkey` of a query, where there is one.
inline std::optional<people::lookup_key> read_userkey_if_any(parameters& given) {
  return given.has("userkey") ? std::optional{v2::read_key(given, "userkey", &parse_userkey)} : std::nullopt;
}

/// Goes on with `then(call, profile)` for whom the key leads to, without a key for the caller. The profile is 0 where
/// the user has none. Refuses with `unauthenticated` where nobody is named, and with `not_found`.
template <class Then>
void ask_about(call& c, std::optional<people::lookup_key> key, Then then) {
  if (!key) {
    if (!c.caller())
      return c.refuse({refusal_code::unauthenticated,
                       "name somebody by userkey, or send an access token or an API key to ask for your own"});
    return then(c, c.caller()->profile);
  }
  people::find_people look;
  look.keys.push_back(*std::move(key));
  c.ask(c.to().people, std::move(look), [then](call& later, people::found_people& came) {
    const auto& found = came.people.front();
    if (!found)
      return later.refuse({refusal_code::not_found, "no user matches userkey"});
    then(later, found.profile.value_or(profile_id{}));
  });
}

} // namespace credence::http
