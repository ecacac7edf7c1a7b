#include "auth/signature.hpp"

#include "actors/domain/hash.hpp"
#include "auth/raw_bytes.hpp"

#include <openssl/rand.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace credence::auth {

namespace {

/// Big-endian; arrays of bytes compare as the numbers do.
using scalar = std::array<std::byte, 32>;

consteval scalar number(std::string_view hex) {
  scalar out{};
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const int digit = hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'A' + 10;
    out[i / 2] = out[i / 2] << 4 | static_cast<std::byte>(digit);
  }
  return out;
}

/// The order n of the group (SEC 2, 2.4.1).
constexpr scalar order = number("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141");
/// n / 2, rounded down: the highest s that is low.
constexpr scalar half_order = number("7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0");

bool in_range(const scalar& x) { return x != scalar{} && x < order; }

struct destroy {
  void operator()(secp256k1_context* c) const noexcept { secp256k1_context_destroy(c); }
};
using context_ptr = std::unique_ptr<secp256k1_context, destroy>;

context_ptr make_context() {
  context_ptr out{secp256k1_context_create(SECP256K1_CONTEXT_NONE)};
  std::array<unsigned char, 32> seed;
  if (!out || RAND_bytes(seed.data(), static_cast<int>(seed.size())) != 1
      || secp256k1_context_randomize(out.get(), seed.data()) != 1)
    throw std::runtime_error("there is no context to check signatures in");
  return out;
}

/// Made once; whoever only reads it may do so from any thread.
const secp256k1_context* context() {
  static const context_ptr one = make_context();
  return one.get();
}

/// The last 20 bytes of the Keccak-256 of the key's two coordinates (yellow paper, (284)).
address address_of(const secp256k1_pubkey& key) {
  std::array<unsigned char, 65> point; // a byte for the form, then x and y
  std::size_t size = point.size();
  secp256k1_ec_pubkey_serialize(context(), point.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  const auto hash = keccak256({reinterpret_cast<const char*>(point.data()) + 1, point.size() - 1});
  address out;
  std::copy(hash.end() - static_cast<std::ptrdiff_t>(out.bytes.size()), hash.end(), out.bytes.begin());
  return out;
}

} // namespace

std::string_view explain(signature_error why) {
  switch (why) {
    case signature_error::wrong_length: return "a signature must have 132 characters: 0x and 65 bytes in hexadecimal";
    case signature_error::not_hex: return "a signature must be 0x and hexadecimal digits";
    case signature_error::wrong_v: return "the last byte of a signature must be 27 or 28 (or 0 or 1)";
    case signature_error::r_out_of_range: return "r of a signature must be from 1 to the order of secp256k1 less 1";
    case signature_error::s_out_of_range: return "s of a signature must be from 1 to the order of secp256k1 less 1";
    case signature_error::high_s: return "s of a signature must be at most half the order of secp256k1 (EIP-2)";
    case signature_error::no_signer: return "no account can have made this signature of this message";
  }
  return "the signature is not valid";
}

outcome<signature, signature_error> parse_signature(std::string_view text) {
  std::array<std::byte, 65> bytes;
  if (text.size() != 2 + 2 * bytes.size())
    return signature_error::wrong_length;
  if (!text.starts_with("0x") || !decode_hex(text.substr(2), bytes))
    return signature_error::not_hex;
  const auto v = std::to_integer<std::uint8_t>(bytes.back());
  if (v != 0 && v != 1 && v != 27 && v != 28)
    return signature_error::wrong_v;
  signature out;
  std::copy_n(bytes.begin(), 32, out.r.begin());
  std::copy_n(bytes.begin() + 32, 32, out.s.begin());
  if (!in_range(out.r))
    return signature_error::r_out_of_range;
  if (!in_range(out.s))
    return signature_error::s_out_of_range;
  if (out.s > half_order)
    return signature_error::high_s;
  out.recovery_id = v < 27 ? v : static_cast<std::uint8_t>(v - 27);
  return out;
}

digest personal_message_hash(std::string_view message) {
  std::string text = "\x19"
                     "Ethereum Signed Message:\n";
  text += std::to_string(message.size());
  text += message;
  return keccak256(text);
}

outcome<address, signature_error> recover_signer(const digest& hash, const signature& by) {
  std::array<std::byte, 64> r_and_s;
  std::copy(by.s.begin(), by.s.end(), std::copy(by.r.begin(), by.r.end(), r_and_s.begin()));
  secp256k1_ecdsa_recoverable_signature parsed;
  secp256k1_pubkey key;
  if (secp256k1_ecdsa_recoverable_signature_parse_compact(context(), &parsed, raw(r_and_s), by.recovery_id) != 1
      || secp256k1_ecdsa_recover(context(), &key, &parsed, raw(hash)) != 1)
    return signature_error::no_signer;
  return address_of(key);
}

} // namespace credence::auth
