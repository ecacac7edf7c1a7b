#pragma once

#include "persistence/postgres/error.hpp"

#include <cstdint>

namespace credence::persistence {

/// What a refusal by the database means for the batch.
enum class verdict : std::uint8_t {
  bad_change,       // one of its changes can never be stored
  too_long,         // the server ended a statement that took longer than it may
  conflict,         // lost against another transaction
  lock_timeout,     // the other writer was making records for too long
  fenced,           // another writer has taken over, or has written meanwhile
  retryable,        // the server cannot at the moment
  session_unusable, // the session is unusable for this; a new one may do
};

/// By the state that came with it.
verdict verdict_on(const database_error& why);

} // namespace credence::persistence
