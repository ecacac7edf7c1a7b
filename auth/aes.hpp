#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// AES (FIPS 197) in the two ways that wallets' keys need it. Throws wallets::key_error where OpenSSL cannot.
namespace credence::auth {

inline constexpr std::size_t gcm_nonce_bytes = 12, gcm_tag_bytes = 16;
/// What `gcm_seal` adds to a text.
inline constexpr std::size_t gcm_overhead = gcm_nonce_bytes + gcm_tag_bytes;

/// AES-256-GCM (NIST SP 800-38D) under a random nonce: nonce, ciphertext, tag. `context` is authenticated with it.
std::string gcm_seal(const unsigned char* key32, std::span<const std::byte> text, std::string_view context);
/// False where the key, the context or any bit is another one; `out`, as long as the text was, then holds zeros.
bool gcm_open(const unsigned char* key32, std::string_view sealed, std::string_view context, std::span<std::byte> out);

/// AES-128-CTR (NIST SP 800-38A): the same both ways.
std::string aes128_ctr(const unsigned char* key16, const std::array<unsigned char, 16>& counter,
                       std::span<const std::byte> text);

/// Fills it from the system's generator.
void fill_random(std::span<unsigned char> out);

} // namespace credence::auth
