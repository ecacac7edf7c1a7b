#pragma once

#include "actors/domain/address.hpp"
#include "auth/locked_bytes.hpp"

#include <string>

namespace credence::auth {

/// A private key as a Web3 Secret Storage file, version 3 (scrypt with n = 2^18, r = 8, p = 1; AES-128-CTR;
/// Keccak-256), which wallets import. The passphrase goes in as its UTF-8 bytes. Takes 256 MiB of memory meanwhile.
/// Throws wallets::key_error.
std::string keystore_of(const locked_bytes& private_key, const address& at, const std::string& passphrase);

} // namespace credence::auth
