#pragma once

#include "actors/profile/signed_nonce.hpp"
#include "persistence/postgres/connection.hpp"

namespace credence::persistence {

/// A message that was signed counts once: the second use of its nonce violates the table's key. Joining prepares this
/// under a name of its own.
inline constexpr auto use_nonce_sql = "INSERT INTO used_nonces (address, nonce, profile_id, used_at, expires_at)"
                                      " VALUES ($1::bytea, $2::text, $3::int4, $4::timestamptz, $5::timestamptz)";

inline parameters use_nonce_with(const profile::signed_nonce& which, profile_id of, timestamp at) {
  return parameters{}.bytes(which.signer.bytes).text(which.nonce).int4(of.value).time(at).time(which.expires_at);
}

} // namespace credence::persistence
