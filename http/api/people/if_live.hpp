#pragma once

#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"

#include <utility>

namespace credence::http {

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
  using standing = people::people_index::standing;
  switch (c.to().people_known->standing_of(who)) {
    case standing::live: return then(c, std::move(question));
    case standing::archived: return c.refuse(people::not_live(who));
    case standing::unsettled:
    case standing::unknown: return detail::once_known_to_live(c, who, question, then);
  }
}

} // namespace credence::http
