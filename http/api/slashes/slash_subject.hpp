#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/slash/slash_types.hpp"

namespace credence::http {

// Whom a userkey means as the subject of a slash.

/// What the key says by itself: a wallet, an account, or nothing of either.
slash::subject named_by(const people::lookup_key& key);

/// That, with who it is, as far as anybody is known (`who` may be null). A profile stands for
/// its primary address, or else for an account of it; a handle for the account that has it.
/// Refused with `not_found` when the key leads to nobody and is neither wallet nor account.
outcome<slash::subject> subject_of(const people::lookup_key& key, const people::user_bundle* who);

} // namespace credence::http
