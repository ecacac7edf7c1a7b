#include "auth/keystore.hpp"

#include "actors/domain/hex.hpp"
#include "actors/domain/keccak.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "auth/aes.hpp"
#include "auth/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace credence::auth {

namespace {

using wallets::key_error;

constexpr std::uint64_t scrypt_n = 1 << 18, scrypt_r = 8, scrypt_p = 1;
constexpr std::uint64_t scrypt_memory_max = 512 * 1024 * 1024;
constexpr std::size_t derived_bytes = 32, cipher_key_bytes = 16;

std::span<const std::byte> bytes_of(std::span<const unsigned char> bytes) { return std::as_bytes(bytes); }

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}

/// Keccak-256 of the second half of the derived key and the ciphertext.
std::string mac_of(const locked_bytes& derived, const std::string& ciphertext) {
  locked_bytes input{derived_bytes - cipher_key_bytes + ciphertext.size()};
  std::copy_n(derived.data() + cipher_key_bytes, derived_bytes - cipher_key_bytes, input.data());
  std::memcpy(input.data() + derived_bytes - cipher_key_bytes, ciphertext.data(), ciphertext.size());
  return hex(keccak256(input.bytes()));
}

} // namespace

std::string keystore_of(const locked_bytes& private_key, const address& at, const std::string& passphrase) {
  std::array<unsigned char, 32> salt;
  std::array<unsigned char, 16> counter;
  fill_random(salt);
  fill_random(counter);
  locked_bytes derived{derived_bytes};
  if (EVP_PBE_scrypt(passphrase.data(), passphrase.size(), salt.data(), salt.size(), scrypt_n, scrypt_r, scrypt_p,
                     scrypt_memory_max, derived.data(), derived.size())
      != 1)
    throw key_error{key_error::cause::unusable,
                    "there is no memory to derive a key from a passphrase (scrypt takes 256 MiB)"};
  const auto ciphertext = aes128_ctr(derived.data(), counter, private_key.bytes());
  // Hexadecimal digits and numbers alone: none of it needs escaping.
  return R"({"version":3,"id":")" + random_uuid() + R"(","address":")" + lower_text(at).substr(2)
         + R"(","crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":")" + hex(bytes_of(counter))
         + R"("},"ciphertext":")" + hex(std::as_bytes(std::span{ciphertext}))
         + R"(","kdf":"scrypt","kdfparams":{"dklen":)" + std::to_string(derived_bytes) + R"(,"n":)"
         + std::to_string(scrypt_n) + R"(,"p":)" + std::to_string(scrypt_p) + R"(,"r":)" + std::to_string(scrypt_r)
         + R"(,"salt":")" + hex(bytes_of(salt)) + R"("},"mac":")" + mac_of(derived, ciphertext) + R"("}})";
}

} // namespace credence::auth
