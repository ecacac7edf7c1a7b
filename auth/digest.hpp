#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// Hashes and encodings that credentials are made of. Bytes in, bytes out.
namespace credence::auth {

using digest = std::array<std::byte, 32>;

/// SHA-256 (FIPS 180-4).
digest sha256(std::string_view bytes);
/// HMAC-SHA-256 (RFC 2104).
digest hmac_sha256(std::string_view key, std::string_view bytes);
/// True when both are the same; takes the same time wherever they differ.
bool same_in_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) noexcept;

/// base64url without padding (RFC 4648, 5).
std::string base64url(std::string_view bytes);
/// Strict: no padding, no other alphabet, no bits set beyond the last byte. False when
/// `text` is not that; `out` is then worthless.
bool decode_base64url(std::string_view text, std::string& out);

/// `count` bytes from the system's generator, as lower-case hex.
std::string random_hex(std::size_t count);

/// A random UUID (RFC 9562, version 4), in lower case.
std::string random_uuid();

} // namespace credence::auth
