#include "actors/domain/keccak.hpp"

#include <cryptopp/keccak.h>

#include <cstdint>
#include <string>

namespace credence {

namespace {

void put_word(std::string& out, std::uint64_t value) {
  out.append(24, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xFF);
}

void put_string(std::string& out, std::string_view text) {
  put_word(out, text.size());
  out.append(text);
  out.append((32 - text.size() % 32) % 32, '\0');
}

} // namespace

digest32 keccak256(std::string_view bytes) {
  digest32 out;
  CryptoPP::Keccak_256 hash;
  hash.CalculateDigest(reinterpret_cast<CryptoPP::byte*>(out.data()),
                       reinterpret_cast<const CryptoPP::byte*>(bytes.data()), bytes.size());
  return out;
}

digest32 keccak256(std::span<const std::byte> bytes) {
  return keccak256(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

digest32 attestation_hash(std::string_view service, std::string_view account) {
  std::string encoded;
  put_word(encoded, 64);
  put_word(encoded, 64 + 32 + (service.size() + 31) / 32 * 32);
  put_string(encoded, service);
  put_string(encoded, account);
  return keccak256(encoded);
}

} // namespace credence
