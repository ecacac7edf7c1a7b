#pragma once

#include "actors/people/lookup_types.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/reputation/activity_types.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

// Answers about people as JSON. Users are encoded by the cards, in the format of the day.

/// `{score, level}`.
void encode_score(json_writer& to, std::int32_t score);
/// A profile (spec: "Profile"); times are Unix seconds.
void encode_members(json_writer& to, const people::profile_record& record);
/// The internal user bundle (spec). Times of profile and attestations are Unix seconds.
void encode_members(json_writer& to, const people::user_bundle& bundle, user_cards& users);
/// Those that are there, each once, in the order given.
void encode(json_writer& to, const std::vector<people::user_ptr>& who, user_cards& users);
/// `{values, total, limit, offset}`.
void encode_members(json_writer& to, const people::people_page& found, page slice, user_cards& users);

namespace detail {

/// Asks whether `who` is a live profile, and goes on with `then` if so.
template <class Question>
void once_known_to_live(call& c, profile_id who, Question& query, void (*then)(call&, Question)) {
  auto question = std::move(query);
  const auto found = co_await c.ask(c.to().people, people::check_live{who});
  if (!found.live)
    co_return c.refuse(people::not_live(who));
  if (found.unsettled)
    co_return c.refuse(people::not_yet_settled(who, found.unsettled));
  then(c, std::move(question));
}

} // namespace detail

/// Goes on with `then` when `who` is a live profile, and refuses with `profile_not_live`
/// otherwise, or `not_yet_settled`. One that memory does not know, such as a profile made a moment ago, is asked for.
template <class Question>
void if_live(call& c, profile_id who, Question question, void (*then)(call&, Question)) {
  using status = people::people_index::status;
  switch (c.to().people_known->status_of(who)) {
    case status::live: return then(c, std::move(question));
    case status::archived: return c.refuse(people::not_live(who));
    case status::unsettled:
    case status::unknown: return detail::once_known_to_live(c, who, question, then);
  }
}

// Reads of anybody whom `userkey` names, and of the caller without it.

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

// Search for people: by a part of their names, or by what somebody has pasted, an address or a userkey.

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
  auto question = v2::read_search(c.given());
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

// Answers whose users came along with what names them.

/// The User object of an id as the value of an open member, or null where there is none.
inline void encode_named(json_writer& to, user_cards& cards, const reputation::named_users& users,
                         std::optional<user_id> who) {
  const auto found = who ? users.find(*who) : users.end();
  if (found == users.end())
    to.null();
  else
    cards.write(to, *found->second);
}
inline void encode_named(json_writer& to, json_name name, user_cards& cards, const reputation::named_users& users,
                         std::optional<user_id> who) {
  to.key(name);
  encode_named(to, cards, users, who);
}

/// Answers 200 with what `write` writes by means of the cards.
template <class Write>
void reply_by_cards(call& c, Write write) {
  c.cards().begin(user_cards::pass::first, c.now());
  json_writer to{c.out()};
  write(to, c.cards());
  c.reply();
}

/// Answers 200 with a page of a list: each row as `each` writes it.
template <class List, class Each>
void reply_page(call& c, const List& list, Each each) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    encode_page(to, list.rows, list.total, list.slice, [&](const auto& row) { each(to, cards, row); });
  });
}

} // namespace credence::http
