#include "auth/digest.hpp"

#include "actors/domain/hash.hpp"
#include "auth/raw_bytes.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cstdint>
#include <stdexcept>

namespace credence::auth {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values)
    value = -1;
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}

[[noreturn]] void no_sha256() { throw std::runtime_error("SHA-256 is not available"); }

const EVP_MD* find_sha256() {
  const auto* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method ? method : (no_sha256(), nullptr);
}

} // namespace

digest sha256(std::string_view bytes) {
  // `SHA256` of OpenSSL 3 looks its method up by name at each call, which takes as long as the hash of a token.
  static const EVP_MD* const method = find_sha256();
  digest out;
  if (!EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), nullptr, method, nullptr))
    no_sha256();
  return out;
}

digest hmac_sha256(std::string_view key, std::string_view bytes) {
  digest out;
  unsigned int length = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(bytes), bytes.size(),
            reinterpret_cast<unsigned char*>(out.data()), &length)
      || length != out.size())
    throw std::runtime_error("HMAC-SHA-256 is not available");
  return out;
}

bool same_in_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string base64url(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    held += 8;
    while (held >= 6)
      out += alphabet[bits >> (held -= 6) & 63];
  }
  if (held > 0)
    out += alphabet[bits << (6 - held) & 63];
  return out;
}

bool decode_base64url(std::string_view text, std::string& out) {
  static constexpr auto values = make_values();
  out.clear();
  if (text.size() % 4 == 1)
    return false;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto value = values[static_cast<unsigned char>(c)];
    if (value < 0)
      return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8)
      out += static_cast<char>(bits >> (held -= 8) & 0xFF);
  }
  return (bits & ((1u << held) - 1)) == 0; // one text for one value
}

std::string random_hex(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    throw std::runtime_error("the system gives no random bytes");
  std::string out;
  append_hex(out, std::as_bytes(std::span{bytes}));
  return out;
}

std::string random_uuid() {
  auto hex = random_hex(16);
  hex[12] = '4';
  static constexpr std::string_view variant = "89ab";
  hex[16] = variant[static_cast<std::size_t>(hex[16] <= '9' ? hex[16] - '0' : hex[16] - 'a' + 10) % 4];
  for (const std::size_t at : {8, 13, 18, 23})
    hex.insert(at, 1, '-');
  return hex;
}

} // namespace credence::auth
