#pragma once

#include "http/call/call.hpp"

#include <any>
#include <utility>

namespace credence::http {

namespace detail {

template <class Question>
struct kept_for_live {
  profile_id who;
  Question question;
  void (*then)(call&, Question);
};

inline void refuse_not_live(call& c, profile_id who) {
  c.refuse(people::not_live(who));
}

} // namespace detail

/// Goes on with `then` when `who` is a live profile, and refuses with `profile_not_live`
/// otherwise. One that memory does not know, such as a profile made a moment ago, is asked for.
template <class Question>
void if_live(call& c, profile_id who, Question question, void (*then)(call&, Question)) {
  using standing = people::people_index::standing;
  switch (c.to().people_known->standing_of(who)) {
    case standing::live: return then(c, std::move(question));
    case standing::archived: return detail::refuse_not_live(c, who);
    case standing::unknown: break;
  }
  using kept = detail::kept_for_live<Question>;
  c.kept() = kept{who, std::move(question), then};
  c.ask<people::check_live>(c.to().people, {who}, [](call& later, bool& live) {
    auto next = std::any_cast<kept>(std::move(later.kept()));
    if (!live)
      return detail::refuse_not_live(later, next.who);
    next.then(later, std::move(next.question));
  });
}

} // namespace credence::http
