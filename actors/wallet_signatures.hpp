#pragma once

#include "actors/domain/address.hpp"
#include "actors/kernel/ask.hpp"
#include "actors/kernel/door.hpp"

#include <string>

namespace credence {

/// Who has signed a text with an Ethereum wallet (EIP-191, personal_sign). Refused with
/// `invalid_signature`.
struct recover_signer {
  using answer_type = address;
  std::string message;
  std::string signature; // `0x` and 130 hex digits
};

/// The port to signatures; auth implements it, on a thread of its own: one takes as long
/// as many other requests do.
using wallet_signatures_handle = actor_handle<recover_signer>;
struct wallet_signatures_door {
  using handle = wallet_signatures_handle;
};

} // namespace credence
