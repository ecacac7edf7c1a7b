#include "http/outside/send_errors.hpp"

#include "actors/domain/lower_case.hpp"

#include <string_view>

namespace credence::http {

namespace {

using wallets::send_result;

struct phrase {
  std::string_view part; // of a message, in small letters
  send_result means;
};

/// The first one that a message holds counts, so the more exact ones come first.
constexpr phrase phrases[]{
  {"already known", send_result::already_known},    // geth, reth
  {"alreadyknown", send_result::already_known},     // Nethermind, Erigon
  {"already imported", send_result::already_known}, // anvil
  {"already in mempool", send_result::already_known},
  {"unknown transaction", send_result::refused},     // of a type that it does not know
  {"known transaction", send_result::already_known}, // old geth, Besu
  {"duplicate transaction", send_result::already_known},
  {"nonce too low", send_result::nonce_too_low}, // geth, reth, Besu, anvil
  {"nonce is too low", send_result::nonce_too_low},
  {"nonce has already been used", send_result::nonce_too_low},
  {"oldnonce", send_result::nonce_too_low}, // Nethermind
  {"replacement transaction underpriced", send_result::replacement_underpriced},
  {"replacementnotallowed", send_result::replacement_underpriced},      // Nethermind
  {"could not replace existing", send_result::replacement_underpriced}, // Erigon
  {"insufficient funds", send_result::insufficient_funds},
  {"insufficientfunds", send_result::insufficient_funds}, // Nethermind
  {"insufficient balance", send_result::insufficient_funds},
  {"upfront cost exceeds", send_result::insufficient_funds}, // Besu
  {"doesn't have enough funds", send_result::insufficient_funds},
  {"underpriced", send_result::underpriced},
  {"feetoolow", send_result::underpriced}, // Nethermind
  {"less than block base fee", send_result::underpriced},
  {"gas price too low", send_result::underpriced},
  {"below current minimum", send_result::underpriced},
  {"gas price below", send_result::underpriced},
  {"intrinsic gas too low", send_result::refused},
  {"exceeds block gas limit", send_result::refused},
  {"exceeds the configured cap", send_result::refused},
  {"oversized data", send_result::refused},
  {"invalid sender", send_result::refused},
  {"invalid chain id", send_result::refused},
  {"invalid signature", send_result::refused},
  {"type not supported", send_result::refused},
};

} // namespace

send_result result_of(const rpc_error& error) {
  const auto text = lower_case(error.message);
  for (const auto& each : phrases)
    if (text.find(each.part) != std::string::npos)
      return each.means;
  return send_result::unclear;
}

} // namespace credence::http
