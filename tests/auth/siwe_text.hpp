#pragma once

#include "auth/address.hpp"
#include "auth/siwe_message.hpp"

namespace credence::auth {

/// The text of a message (EIP-4361), as a wallet is asked to sign it.
inline std::string siwe_text(const siwe_message& m) {
  std::string out = m.scheme ? *m.scheme + "://" : "";
  out += m.domain + " wants you to sign in with your Ethereum account:\n" + checksummed_text(m.account) + "\n\n";
  if (m.statement)
    out += *m.statement + '\n';
  out += "\nURI: " + m.uri + "\nVersion: 1\nChain ID: " + std::to_string(m.chain_id) + "\nNonce: " + m.nonce
         + "\nIssued At: " + m.issued_at.text;
  if (m.expiration_time)
    out += "\nExpiration Time: " + m.expiration_time->text;
  if (m.not_before)
    out += "\nNot Before: " + m.not_before->text;
  if (m.request_id)
    out += "\nRequest ID: " + *m.request_id;
  if (m.resources) {
    out += "\nResources:";
    for (const auto& each : *m.resources)
      out += "\n- " + each;
  }
  return out;
}

} // namespace credence::auth
