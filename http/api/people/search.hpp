#pragma once

#include "actors/people/people_actor.hpp"
#include "http/api/people/questions.hpp"
#include "http/call/call.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

/// Search for people: by a part of their names, or by what somebody has pasted, an address or a userkey.
namespace credence::http {

/// Whether a user has a key of that type.
inline bool has_key(const people::user& who, people::key_type type) {
  static constexpr std::array<std::string_view, 7> prefixes{
    "address:",        "profileId:",        "service:discord:", "service:farcaster:",
    "service:github:", "service:telegram:", "service:x.com:"};
  const auto prefix = prefixes[static_cast<std::size_t>(type)];
  return type == people::key_type::profile ? who.profile.has_value()
                                           : std::any_of(who.userkeys.begin(), who.userkeys.end(),
                                                         [&](const auto& key) { return key.starts_with(prefix); });
}

/// The key that a search is, if it is one: nobody's name looks like an address or a userkey.
inline std::optional<people::lookup_key> key_searched_for(std::string_view text) {
  auto key = text.find(':') == text.npos ? parse_address_key(text) : parse_userkey(text);
  return key ? std::optional{*std::move(key)} : std::nullopt;
}

/// Answers the search in the query by `reply(call, found, slice)`.
template <class Reply>
void search_users(call& c, Reply reply) {
  parameters given{c.query()};
  auto question = v2::read_search(given);
  if (!given.good())
    return c.refuse(given.why());
  const auto slice = question.slice;
  auto key = key_searched_for(question.text);
  if (!key)
    return c.ask(c.to().people, std::move(question),
                 [slice, reply](call& later, people::people_page& found) { reply(later, found, slice); });
  people::get_people look;
  look.keys.push_back(*std::move(key));
  c.ask(c.to().people, std::move(look),
        [slice, reply, having = question.having](call& later, people::people_by_key& came) {
          people::people_page found;
          if (const auto& who = came.users.front(); who && (!having || has_key(*who, *having))) {
            found.total = 1;
            if (slice.limit > 0 && slice.offset == 0)
              found.users.push_back(who);
          }
          reply(later, found, slice);
        });
}

} // namespace credence::http
