#include "auth/aes.hpp"

#include "actors/wallets/wallet_keys.hpp"
#include "auth/raw_bytes.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>

namespace credence::auth {

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

} // namespace credence::auth
