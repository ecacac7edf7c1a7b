#include "auth/wallet_keys_local.hpp"

#include "actors/domain/hash.hpp"
#include "actors/wallets/wallet_keys.hpp"
#include "auth/digest.hpp"
#include "auth/open_file.hpp"
#include "auth/raw_bytes.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <fcntl.h>
#include <secp256k1.h>
#include <secp256k1_recovery.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace credence::auth {

locked_bytes::locked_bytes(std::size_t size) : size_(size) {
  auto* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw std::bad_alloc{};
  data_ = static_cast<unsigned char*>(pages);
  // Both are best effort: RLIMIT_MEMLOCK may forbid the first.
  static_cast<void>(::mlock(data_, size_));
  static_cast<void>(::madvise(data_, size_, MADV_DONTDUMP));
}

locked_bytes::locked_bytes(locked_bytes&& other) noexcept
  : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

locked_bytes::~locked_bytes() {
  if (!data_)
    return;
  OPENSSL_cleanse(data_, size_);
  ::munmap(data_, size_);
}

namespace {

using wallets::key_error;

struct free_context {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); } // wipes the key schedule
};
using cipher_context = std::unique_ptr<EVP_CIPHER_CTX, free_context>;

[[noreturn]] void fail() { throw key_error{key_error::cause::unusable, "AES is not available"}; }

cipher_context fresh_context() {
  cipher_context out{EVP_CIPHER_CTX_new()};
  if (!out)
    fail();
  return out;
}

} // namespace

void fill_random(std::span<unsigned char> out) {
  if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1)
    throw key_error{key_error::cause::unusable, "the system gives no random bytes"};
}

std::string gcm_seal(const unsigned char* key32, std::span<const std::byte> text, std::string_view context) {
  std::string out(gcm_nonce_bytes + text.size() + gcm_tag_bytes, '\0');
  fill_random({raw(out), gcm_nonce_bytes});
  const auto with = fresh_context();
  int size = 0;
  if (EVP_EncryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, key32, raw(out)) != 1
      || EVP_EncryptUpdate(with.get(), nullptr, &size, raw(context), static_cast<int>(context.size())) != 1
      || EVP_EncryptUpdate(with.get(), raw(out) + gcm_nonce_bytes, &size, raw(text), static_cast<int>(text.size())) != 1
      || EVP_EncryptFinal_ex(with.get(), raw(out) + gcm_nonce_bytes + text.size(), &size) != 1
      || EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(gcm_tag_bytes),
                             raw(out) + gcm_nonce_bytes + text.size())
           != 1)
    fail();
  return out;
}

bool gcm_open(const unsigned char* key32, std::string_view sealed, std::string_view context, std::span<std::byte> out) {
  if (sealed.size() != out.size() + gcm_overhead)
    return false;
  const auto with = fresh_context();
  auto* const to = reinterpret_cast<unsigned char*>(out.data());
  std::string tag{sealed.substr(gcm_nonce_bytes + out.size())};
  int size = 0;
  if (EVP_DecryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, key32, raw(sealed)) != 1
      || EVP_DecryptUpdate(with.get(), nullptr, &size, raw(context), static_cast<int>(context.size())) != 1)
    fail();
  const bool good =
    EVP_DecryptUpdate(with.get(), to, &size, raw(sealed) + gcm_nonce_bytes, static_cast<int>(out.size())) == 1
    && EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(tag.size()), tag.data()) == 1
    && EVP_DecryptFinal_ex(with.get(), to + out.size(), &size) == 1;
  if (!good)
    OPENSSL_cleanse(to, out.size());
  return good;
}

std::string aes128_ctr(const unsigned char* key16, const std::array<unsigned char, 16>& counter,
                       std::span<const std::byte> text) {
  std::string out(text.size(), '\0');
  const auto with = fresh_context();
  int size = 0;
  if (EVP_EncryptInit_ex(with.get(), EVP_aes_128_ctr(), nullptr, key16, counter.data()) != 1
      || EVP_EncryptUpdate(with.get(), raw(out), &size, raw(text), static_cast<int>(text.size())) != 1)
    fail();
  return out;
}

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

namespace {

constexpr std::size_t key_digits = 2 * master_key_bytes;

/// Without line ends and blanks around it.
std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Calls `use` with what is in a file that its owner alone may read. It is never in memory that is not wiped.
template <class Use>
auto with_private_file(const std::string& path, Use use) {
  const open_file file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    throw std::runtime_error(path + ": cannot read the master key: " + std::strerror(errno));
  struct stat about {};
  if (::fstat(file.number, &about) != 0 || !S_ISREG(about.st_mode))
    throw std::runtime_error(path + ": the master key must be in a regular file");
  if ((about.st_mode & 0177) != 0)
    throw std::runtime_error(
      path
      + ": others may read or change the master key: chmod 600 or 400 it; where they may have read it, make a new one");
  locked_bytes text{key_digits + 64}; // room for blanks and line ends
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(file.number, text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR)
      throw std::runtime_error(path + ": cannot read the master key: " + std::strerror(errno));
    if (got == 0)
      break;
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return use(trimmed({reinterpret_cast<const char*>(text.data()), size}));
}

/// The key that a setting and its file may name; nothing where neither does.
std::optional<master_key> read_one(std::int32_t version, const secret& text, const std::string& path,
                                   const std::string& name) {
  if (!text.empty() && !path.empty())
    throw std::runtime_error(name + " and " + name + "_file are both set: one key, one place");
  if (!text.empty())
    return master_key{version, trimmed(text.reveal()), name};
  if (!path.empty())
    return with_private_file(path, [&](std::string_view hex) { return master_key{version, hex, path}; });
  return std::nullopt;
}

} // namespace

master_key::master_key(std::int32_t version, std::string_view hex, const std::string& what)
  : version_(version), key_(master_key_bytes) {
  if (hex.size() != key_digits || !decode_hex(hex, {reinterpret_cast<std::byte*>(key_.data()), key_.size()}))
    throw std::runtime_error(what + ": a master key is 32 random bytes as 64 hexadecimal digits: openssl rand -hex 32");
  if (std::all_of(key_.data(), key_.data() + key_.size(),
                  [this](unsigned char each) { return each == key_.data()[0]; }))
    throw std::runtime_error(what
                             + ": this master key is one byte repeated: make a random one with openssl rand -hex 32");
  const auto mark =
    hmac_sha256({reinterpret_cast<const char*>(key_.data()), key_.size()}, "credence: fingerprint of a master key");
  std::copy_n(mark.begin(), fingerprint_.size(), fingerprint_.begin());
}

master_keys::master_keys(master_key now, master_key before) {
  if (now.version() == before.version() || now.fingerprint() == before.fingerprint())
    throw std::runtime_error(
      "wallets.master_key and wallets.master_key_before are the same key: give the one that was used before, or none");
  keys_.push_back(std::move(now));
  keys_.push_back(std::move(before));
}

const master_key* master_keys::of(std::int32_t version) const noexcept {
  const auto found =
    std::find_if(keys_.begin(), keys_.end(), [=](const master_key& each) { return each.version() == version; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string master_keys::named() const {
  std::string out;
  for (const auto& each : keys_)
    out += (out.empty() ? "" : " and ") + std::to_string(each.version()) + " (" + hex_of(each.fingerprint()) + ")";
  return out;
}

master_keys read_master_keys(const settings::wallet_keys& with) {
  auto now = read_one(with.master_version, with.master_key, with.master_key_file, "wallets.master_key");
  if (!now)
    throw std::runtime_error("there is no master key: set wallets.master_key_file to a file with 64 hexadecimal digits "
                             "(openssl rand -hex 32)");
  auto before =
    read_one(with.master_version - 1, with.master_key_before, with.master_key_before_file, "wallets.master_key_before");
  if (!before)
    return master_keys{std::move(*now)};
  if (with.master_version < 2)
    throw std::runtime_error(
      "wallets.master_key_before is set, so wallets.master_version must be one more than it was, at least 2");
  return {std::move(*now), std::move(*before)};
}

std::string hex_of(const master_fingerprint& fingerprint) {
  std::string out;
  append_hex(out, fingerprint);
  return out;
}

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
