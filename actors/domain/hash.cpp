#include "actors/domain/hash.hpp"

#include <cryptopp/keccak.h>

#include <cstdint>
#include <random>
#include <string>

namespace credence {

namespace {

/// 0 to 15, or -1 for what is no hexadecimal digit.
int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

} // namespace

bool decode_hex(std::string_view text, std::span<std::byte> out) {
  if (text.size() != 2 * out.size())
    return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    out[i] = static_cast<std::byte>(high << 4 | low);
  }
  return true;
}

void append_hex(std::string& out, std::span<const std::byte> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  auto at = out.size();
  out.resize(at + 2 * bytes.size());
  for (const auto each : bytes) {
    out[at++] = digits[std::to_integer<unsigned>(each) >> 4];
    out[at++] = digits[std::to_integer<unsigned>(each) & 15];
  }
}

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

namespace {

sip_key random_key() {
  std::random_device dice;
  sip_key out;
  for (auto& word : out)
    word = std::uint64_t{dice()} << 32 | dice();
  return out;
}

sip_key& the_key() noexcept {
  static sip_key key = random_key();
  return key;
}

} // namespace

const sip_key& hash_key() noexcept { return the_key(); }
void set_hash_key(const sip_key& key) noexcept { the_key() = key; }

} // namespace credence
