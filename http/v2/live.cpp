#include "http/v2/live.hpp"

#include <any>

namespace credence::http::v2 {

namespace {

struct looked_up {
  std::any kept; // what lay there before
  profile_id who;
  const char* do_this;
  void (*go)(call&);
};

refusal not_live(profile_id who, const char* do_this) {
  return {refusal_code::profile_not_live, "profile " + std::to_string(who.value)
                                            + " is archived or does not exist; only live profiles " + do_this};
}

} // namespace

void when_live(call& c, profile_id who, const char* do_this, void (*go)(call&)) {
  using standing = people::people_index::standing;
  switch (c.to().people_known->standing_of(who)) {
  case standing::live: return go(c);
  case standing::archived: return c.refuse(not_live(who, do_this));
  case standing::unknown: break; // such as a profile made a moment ago
  }
  c.kept() = looked_up{std::move(c.kept()), who, do_this, go};
  c.ask(c.to().people, people::check_live{who}, +[](call& later, bool& live) {
    auto before = std::any_cast<looked_up>(std::move(later.kept()));
    if (!live)
      return later.refuse(not_live(before.who, before.do_this));
    later.kept() = std::move(before.kept);
    before.go(later);
  });
}

} // namespace credence::http::v2
