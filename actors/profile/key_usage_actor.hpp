#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/profile/profile_storage.hpp"

#include <string>

namespace credence::profile {

/// An API key has been used; sent at most once a minute for each.
struct key_used {
  std::string id;
};

/// Gathers when keys were used and has it stored behind the requests.
using key_usage_handle = actor_handle<key_used>;
struct key_usage_door {
  using handle = key_usage_handle;
};

key_usage_handle spawn_key_usage(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::profile
