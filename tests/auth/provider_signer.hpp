#pragma once

#include "auth/digest.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace credence::test {

/// A key pair such as an identity provider has, made anew each time.
class provider_signer {
public:
  explicit provider_signer(std::string id, const char* curve = "P-256")
    : id_(std::move(id)), key_(EVP_EC_gen(curve), &EVP_PKEY_free) {
    if (!key_)
      throw std::runtime_error("no key can be made");
  }

  const std::string& id() const { return id_; }
  std::string x() const { return coordinate(OSSL_PKEY_PARAM_EC_PUB_X); }
  std::string y() const { return coordinate(OSSL_PKEY_PARAM_EC_PUB_Y); }
  /// The public key as a member of a set; `more` begins with a comma.
  std::string jwk(const std::string& more = R"(,"use":"sig","alg":"ES256")") const {
    return R"({"kty":"EC","crv":"P-256","kid":")" + id_ + R"(","x":")" + x() + R"(","y":")" + y() + "\"" + more + "}";
  }
  std::string set() const { return set_of({jwk()}); }
  static std::string set_of(const std::vector<std::string>& keys) {
    std::string out = R"({"keys":[)";
    for (const auto& key : keys)
      out += (out.back() == '[' ? "" : ",") + key;
    return out + "]}";
  }

  /// Signature over `text` in OpenSSL's form (DER).
  std::string der(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t length = 256;
    std::string out(length, '\0');
    if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1
        || EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &length, bytes, text.size())
             != 1)
      throw std::runtime_error("cannot sign");
    out.resize(length);
    return out;
  }
  /// The same as r and s of 32 bytes each (RFC 7518, 3.4).
  std::string raw(const std::string& text) const { return raw_of(der(text)); }
  static std::string raw_of(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> both{
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), &ECDSA_SIG_free};
    std::string out(64, '\0');
    auto* to = reinterpret_cast<unsigned char*>(out.data());
    if (!both || BN_bn2binpad(ECDSA_SIG_get0_r(both.get()), to, 32) != 32
        || BN_bn2binpad(ECDSA_SIG_get0_s(both.get()), to + 32, 32) != 32)
      throw std::runtime_error("not a signature of P-256");
    return out;
  }

  std::string header() const { return R"({"alg":"ES256","typ":"JWT","kid":")" + id_ + "\"}"; }
  std::string token(const std::string& header, const std::string& claims) const {
    const auto text = auth::base64url(header) + "." + auth::base64url(claims);
    return text + "." + auth::base64url(raw(text));
  }
  std::string token(const std::string& claims) const { return token(header(), claims); }

private:
  std::string coordinate(const char* which) const {
    BIGNUM* number = nullptr;
    if (EVP_PKEY_get_bn_param(key_.get(), which, &number) != 1)
      throw std::runtime_error("a key without a point");
    std::string bytes(static_cast<std::size_t>((EVP_PKEY_get_bits(key_.get()) + 7) / 8), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    BN_free(number);
    return auth::base64url(bytes);
  }

  std::string id_;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
};

} // namespace credence::test
