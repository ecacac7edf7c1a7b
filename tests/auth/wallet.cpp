#include "tests/auth/wallet.hpp"

#include "actors/domain/hash.hpp"
#include "auth/signature.hpp"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <stdexcept>

namespace credence::auth {

namespace {

const secp256k1_context* context() {
  static const auto* one = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  return one;
}

const unsigned char* raw(const digest& bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string_view text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace

address address_of_key(std::string_view x_and_y) {
  const auto hash = keccak256(x_and_y);
  address out;
  std::copy(hash.begin() + 12, hash.end(), out.bytes.begin());
  return out;
}

wallet::wallet(std::string_view name) : wallet(keccak256(name)) {}

wallet wallet::of_key(std::string_view key) {
  digest bytes;
  if (!key.starts_with("0x") || !decode_hex(key.substr(2), bytes))
    throw std::runtime_error("a key is 0x and 64 hexadecimal digits");
  return wallet{bytes};
}

wallet::wallet(const digest& secret) : key_(secret) {
  secp256k1_pubkey key;
  if (secp256k1_ec_pubkey_create(context(), &key, raw(key_)) != 1)
    throw std::runtime_error("this is no key");
  std::array<unsigned char, 65> point;
  auto size = point.size();
  secp256k1_ec_pubkey_serialize(context(), point.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  account_ = address_of_key(text(point.data() + 1, 64));
}

std::string wallet::sign(std::string_view message) const {
  const auto hash = personal_message_hash(message);
  secp256k1_ecdsa_recoverable_signature made;
  std::array<unsigned char, 64> bytes;
  int recovery_id = 0;
  if (secp256k1_ecdsa_sign_recoverable(context(), &made, raw(hash), raw(key_), nullptr, nullptr) != 1)
    throw std::runtime_error("the key signs nothing");
  secp256k1_ecdsa_recoverable_signature_serialize_compact(context(), bytes.data(), &recovery_id, &made);
  std::array<std::byte, 32> r, s;
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), 32, r.begin());
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()) + 32, 32, s.begin());
  return signature_text(r, s, static_cast<std::uint8_t>(27 + recovery_id));
}

std::array<std::byte, 32> other_s(const std::array<std::byte, 32>& s) {
  std::array<std::byte, 32> out;
  decode_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", out); // n
  int borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const int digit = std::to_integer<int>(out[i]) - std::to_integer<int>(s[i]) - borrow;
    borrow = digit < 0 ? 1 : 0;
    out[i] = static_cast<std::byte>(digit & 0xFF);
  }
  return out;
}

std::string signature_text(const std::array<std::byte, 32>& r, const std::array<std::byte, 32>& s, std::uint8_t v) {
  std::string out = "0x";
  append_hex(out, r);
  append_hex(out, s);
  append_hex(out, std::array{std::byte{v}});
  return out;
}

} // namespace credence::auth
