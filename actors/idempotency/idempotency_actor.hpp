#pragma once

#include "actors/context.hpp"
#include "actors/idempotency/idempotency_types.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"

namespace credence::idempotency {

/// A claimed key whose request can have no effect any more that it has not had.
struct key_released {
  digest32 id{};
};

/// An act that was taken has kept nothing.
struct daily_given_back {
  profile_id profile{};
  daily_act act{};
};

/// Says who may go on with a request under an `Idempotency-Key`, and keeps the answers.
/// What there is under a key is decided by the database; this one knows which requests
/// are under way. Also says who has acts of the day left, for everything that is kept (day_counts.hpp).
using idempotency_handle = actor_handle<claim_key, record_answer, take_daily, key_released, daily_given_back>;
struct idempotency_door {
  using handle = idempotency_handle;
};

idempotency_handle spawn_idempotency(caf::actor_system& sys, std::shared_ptr<const context> with,
                                     port<storage> storage);

} // namespace credence::idempotency
