#include "auth/wallet_keys_local.hpp"

#include "actors/domain/keccak.hpp"
#include "auth/aes.hpp"
#include "auth/keystore.hpp"

#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace credence::auth {

namespace {

using wallets::key_error;
using wallets::sealed_key;

constexpr std::size_t key_bytes = 32;

// A sealed key: the form, the fingerprint of the master key, the data key under that, the private key under the data
// key.
constexpr char form = 1;
constexpr std::size_t fingerprint_at = 1;
constexpr std::size_t data_key_at = fingerprint_at + std::tuple_size_v<master_fingerprint>;
constexpr std::size_t private_key_at = data_key_at + key_bytes + gcm_overhead;
constexpr std::size_t sealed_bytes = private_key_at + key_bytes + gcm_overhead;

template <class Unsigned>
void append_big_endian(std::string& to, Unsigned value) {
  for (auto shift = 8 * sizeof value; shift > 0; shift -= 8)
    to += static_cast<char>(value >> (shift - 8) & 0xFF);
}

std::string named(std::int64_t wallet) { return "wallet " + std::to_string(wallet); }

std::string_view text_of(const master_fingerprint& of) { return {reinterpret_cast<const char*>(of.data()), of.size()}; }

/// What is authenticated with a data key.
std::string data_key_context(std::int64_t wallet, const master_key& under) {
  std::string out{"credence: data key of a managed wallet"};
  append_big_endian(out, static_cast<std::uint64_t>(wallet));
  append_big_endian(out, static_cast<std::uint32_t>(under.version()));
  return out.append(text_of(under.fingerprint()));
}

/// What is authenticated with a private key. Its data key is authenticated with the version.
std::string private_key_context(std::int64_t wallet) {
  std::string out{"credence: private key of a managed wallet"};
  append_big_endian(out, static_cast<std::uint64_t>(wallet));
  return out;
}

std::string sealed_data_key(std::int64_t wallet, const locked_bytes& data_key, const master_key& under) {
  std::string out{form};
  out += text_of(under.fingerprint());
  return out + gcm_seal(under.data(), data_key.bytes(), data_key_context(wallet, under));
}

std::span<std::byte> writable(locked_bytes& bytes) {
  return {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()};
}

} // namespace

void wallet_keys_local::destroy::operator()(secp256k1_context_struct* context) const noexcept {
  secp256k1_context_destroy(context);
}

wallet_keys_local::wallet_keys_local(master_keys keys)
  : masters_(std::move(keys)), context_(secp256k1_context_create(SECP256K1_CONTEXT_NONE)) {
  locked_bytes seed{key_bytes};
  fill_random({seed.data(), seed.size()});
  if (!context_ || secp256k1_context_randomize(context_.get(), seed.data()) != 1)
    throw key_error{key_error::cause::unusable, "there is no context to sign in"};
}

wallet_keys_local::~wallet_keys_local() = default;

address wallet_keys_local::address_of(const locked_bytes& private_key) const {
  secp256k1_pubkey key;
  if (secp256k1_ec_pubkey_create(context_.get(), &key, private_key.data()) != 1)
    throw key_error{key_error::cause::unusable, "a private key must be from 1 to the order of secp256k1 less 1"};
  std::array<unsigned char, 65> point; // a byte for the form, then x and y
  auto size = point.size();
  secp256k1_ec_pubkey_serialize(context_.get(), point.data(), &size, &key, SECP256K1_EC_UNCOMPRESSED);
  const auto hash = keccak256({reinterpret_cast<const char*>(point.data()) + 1, point.size() - 1});
  address out;
  std::copy(hash.end() - static_cast<std::ptrdiff_t>(out.bytes.size()), hash.end(), out.bytes.begin());
  return out;
}

wallets::made_key wallet_keys_local::sealed(std::int64_t wallet, const locked_bytes& private_key) const {
  const auto at = address_of(private_key);
  locked_bytes data_key{key_bytes};
  fill_random({data_key.data(), data_key.size()});
  auto bytes = sealed_data_key(wallet, data_key, masters_.now())
               + gcm_seal(data_key.data(), private_key.bytes(), private_key_context(wallet));
  return {at, {masters_.now().version(), std::move(bytes)}};
}

wallets::made_key wallet_keys_local::make(std::int64_t wallet) {
  locked_bytes key{key_bytes};
  do // all but one in 2^127 are in range
    fill_random({key.data(), key.size()});
  while (secp256k1_ec_seckey_verify(context_.get(), key.data()) != 1);
  return sealed(wallet, key);
}

wallets::made_key wallet_keys_local::seal(std::int64_t wallet, std::span<const std::byte, 32> private_key) {
  locked_bytes key{key_bytes};
  std::memcpy(key.data(), private_key.data(), private_key.size());
  return sealed(wallet, key);
}

locked_bytes wallet_keys_local::open_data_key(std::int64_t wallet, const sealed_key& key) const {
  const auto* master = masters_.of(key.master_version);
  if (!master)
    throw key_error{key_error::cause::no_master_key, named(wallet) + " is sealed under master key "
                                                       + std::to_string(key.master_version) + "; the settings have "
                                                       + masters_.named()};
  if (key.bytes.size() != sealed_bytes || key.bytes.front() != form)
    throw key_error{key_error::cause::damaged, "what is stored as the key of " + named(wallet) + " is no sealed key"};
  const std::string_view bytes{key.bytes};
  if (bytes.substr(fingerprint_at, master->fingerprint().size()) != text_of(master->fingerprint())) {
    master_fingerprint sealed_by;
    std::memcpy(sealed_by.data(), bytes.data() + fingerprint_at, sealed_by.size());
    throw key_error{key_error::cause::wrong_master_key,
                    named(wallet) + " is sealed under the master key " + std::to_string(key.master_version)
                      + " with the fingerprint " + hex_of(sealed_by) + "; the one in the settings has "
                      + hex_of(master->fingerprint())};
  }
  locked_bytes out{key_bytes};
  if (!gcm_open(master->data(), bytes.substr(data_key_at, key_bytes + gcm_overhead), data_key_context(wallet, *master),
                writable(out)))
    throw key_error{key_error::cause::damaged,
                    "the key of " + named(wallet) + " does not open: it was changed, or is another wallet's"};
  return out;
}

locked_bytes wallet_keys_local::open(std::int64_t wallet, const sealed_key& key) const {
  const auto data_key = open_data_key(wallet, key);
  locked_bytes out{key_bytes};
  if (!gcm_open(data_key.data(), std::string_view{key.bytes}.substr(private_key_at), private_key_context(wallet),
                writable(out)))
    throw key_error{key_error::cause::damaged,
                    "the key of " + named(wallet) + " does not open: it was changed, or is another wallet's"};
  return out;
}

void wallet_keys_local::check(std::int64_t wallet, const sealed_key& key) const {
  static_cast<void>(open_data_key(wallet, key));
}

wallets::key_signature wallet_keys_local::sign(std::int64_t wallet, const sealed_key& key, const digest32& hash) {
  const auto private_key = open(wallet, key);
  secp256k1_ecdsa_recoverable_signature made;
  std::array<unsigned char, 64> r_and_s;
  int parity = 0;
  // Nonces by RFC 6979; s is low.
  if (secp256k1_ecdsa_sign_recoverable(context_.get(), &made, reinterpret_cast<const unsigned char*>(hash.data()),
                                       private_key.data(), secp256k1_nonce_function_rfc6979, nullptr)
        != 1
      || secp256k1_ecdsa_recoverable_signature_serialize_compact(context_.get(), r_and_s.data(), &parity, &made) != 1
      || parity > 1)
    throw key_error{key_error::cause::unusable, "the key of " + named(wallet) + " gives no signature of this hash"};
  wallets::key_signature out;
  std::memcpy(out.r.data(), r_and_s.data(), out.r.size());
  std::memcpy(out.s.data(), r_and_s.data() + out.r.size(), out.s.size());
  out.y_parity = static_cast<std::uint8_t>(parity);
  return out;
}

sealed_key wallet_keys_local::rotate(std::int64_t wallet, const sealed_key& key) {
  const auto data_key = open_data_key(wallet, key);
  if (key.master_version == masters_.now().version())
    return key;
  return {masters_.now().version(),
          sealed_data_key(wallet, data_key, masters_.now()) + key.bytes.substr(private_key_at)};
}

std::string wallet_keys_local::export_keystore(std::int64_t wallet, const sealed_key& key,
                                               const std::string& passphrase) {
  if (passphrase.size() < wallets::passphrase_bytes_min || passphrase.size() > wallets::passphrase_bytes_max)
    throw key_error{key_error::cause::bad_passphrase, "a passphrase must have "
                                                        + std::to_string(wallets::passphrase_bytes_min) + " to "
                                                        + std::to_string(wallets::passphrase_bytes_max) + " bytes"};
  const std::lock_guard alone{exporting_};
  const auto private_key = open(wallet, key);
  return keystore_of(private_key, address_of(private_key), passphrase);
}

} // namespace credence::auth
