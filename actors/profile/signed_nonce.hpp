#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/time.hpp"

#include <string>

namespace credence::profile {

/// A nonce of a signed message; it counts once per wallet.
struct signed_nonce {
  address signer;
  std::string nonce;
  timestamp expires_at{}; // of the message
  friend bool same(const signed_nonce& a, const signed_nonce& b) { return a.nonce == b.nonce && a.signer == b.signer; }
};

} // namespace credence::profile
