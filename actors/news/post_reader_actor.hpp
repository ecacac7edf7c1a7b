#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/news/post_source.hpp"

namespace credence::news {

struct look_up {
  using answer_type = looked_up;
  account whose;
};

/// Looks accounts up, one after the other. Always answers.
using post_reader_handle = actor_handle<look_up>;

/// On a thread of its own, on which alone `from` is used.
post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from);

} // namespace credence::news
