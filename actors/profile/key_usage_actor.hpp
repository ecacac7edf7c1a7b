#pragma once

#include "actors/context.hpp"
#include "actors/store.hpp"

#include <string>

namespace credence::profile {

/// An API key has been used; sent at most once a minute for each.
struct key_used {
  std::string id;
};

/// Gathers when keys were used and has it stored behind the requests.
using key_usage_handle = caf::typed_actor<caf::reacts_to<key_used>>;

key_usage_handle spawn_key_usage(caf::actor_system& sys, std::shared_ptr<const context> with);

} // namespace credence::profile

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(credence::profile::key_used)
