#pragma once

#include "actors/news/post_source.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace credence::news {

struct look_up {
  account whose;
};

/// Looks accounts up, one after the other. Always answers.
using post_reader_handle = caf::typed_actor<caf::replies_to<look_up>::with<looked_up>>;

/// On a thread of its own, on which alone `from` is used.
post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from);

} // namespace credence::news

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::news::look_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::news::looked_up)
