#include "auth/provider_token.hpp"

#include "auth/digest.hpp"
#include "auth/raw_bytes.hpp"
#include "auth/token_parts.hpp"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <utility>

namespace credence::auth {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t coordinate_bytes = 32; // of P-256

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* value) const noexcept {
    Free(value);
  }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using key_context = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using signature_ptr = std::unique_ptr<ECDSA_SIG, freed_by<ECDSA_SIG_free>>;
using number_ptr = std::unique_ptr<BIGNUM, freed_by<BN_free>>;

/// What failed here must not be taken for the reason of something later on this thread.
struct clean_errors {
  clean_errors() = default;
  clean_errors(const clean_errors&) = delete;
  clean_errors& operator=(const clean_errors&) = delete;
  ~clean_errors() { ERR_clear_error(); }
};

/// The key at an uncompressed point; null when that is not on the curve.
key_ptr key_at(std::string& point) {
  const clean_errors after;
  char group[] = "P-256";
  OSSL_PARAM parameters[]{
    OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
    OSSL_PARAM_construct_end(),
  };
  const key_context making{EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr)};
  EVP_PKEY* made = nullptr;
  if (!making || EVP_PKEY_fromdata_init(making.get()) != 1
      || EVP_PKEY_fromdata(making.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    return nullptr;
  key_ptr key{made};
  const key_context checking{EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr)};
  return checking && EVP_PKEY_public_check(checking.get()) == 1 ? std::move(key) : nullptr;
}

/// Whether a member is that text where it is there at all.
bool text_is_or_absent(const dom::object& object, std::string_view name, std::string_view wanted) {
  return !has_member(object, name) || text_is(object, name, wanted);
}

bool may_verify(const dom::object& key) {
  if (!has_member(key, "key_ops"))
    return true;
  dom::array operations;
  if (key["key_ops"].get(operations))
    return false;
  return std::any_of(operations.begin(), operations.end(), [](const dom::element& each) {
    std::string_view text;
    return !each.get(text) && text == "verify";
  });
}

/// Appends a coordinate (RFC 7518, 6.2.1.2: of the full length). False when it is not one.
bool append_coordinate(std::string& point, const dom::object& key, std::string_view name) {
  std::string_view text;
  std::string bytes;
  if (key[name].get(text) || !decode_base64url(text, bytes) || bytes.size() != coordinate_bytes)
    return false;
  point += bytes;
  return true;
}

/// A key that signs ES256; null for one that is left out.
key_ptr usable_key(const dom::object& key) {
  std::string point{'\x04'}; // uncompressed (SEC 1, 2.3.3)
  const bool meant_for_it = text_is(key, "kty", "EC") && text_is(key, "crv", "P-256")
                            && text_is_or_absent(key, "use", "sig") && text_is_or_absent(key, "alg", "ES256")
                            && may_verify(key)
                            && !has_member(key, "d"); // a private key that was given away signs for anybody
  if (!meant_for_it || !append_coordinate(point, key, "x") || !append_coordinate(point, key, "y"))
    return nullptr;
  return key_at(point);
}

/// The signature as OpenSSL takes it (DER); empty when it is not 64 bytes.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * coordinate_bytes)
    return {};
  number_ptr r{BN_bin2bn(raw(signature), coordinate_bytes, nullptr)};
  number_ptr s{BN_bin2bn(raw(signature.substr(coordinate_bytes)), coordinate_bytes, nullptr)};
  const signature_ptr both{ECDSA_SIG_new()};
  if (!r || !s || !both || ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1)
    return {};
  static_cast<void>(r.release()); // the signature's own from here on
  static_cast<void>(s.release());
  std::string out(2 * coordinate_bytes + 16, '\0');
  auto* end = reinterpret_cast<unsigned char*>(out.data());
  const auto length = i2d_ECDSA_SIG(both.get(), &end);
  out.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return out;
}

} // namespace

jwk_set::jwk_set(std::string_view json) {
  if (json.size() > bytes_max)
    throw jwks_error("the set of keys has more than " + std::to_string(bytes_max) + " bytes");
  dom::parser parser;
  dom::element root;
  dom::object top;
  dom::array keys;
  if (parser.parse(json.data(), json.size()).get(root) || root.get(top) || !no_member_twice(top)
      || top["keys"].get(keys))
    throw jwks_error("not a set of keys: it must be a JSON object with the list 'keys'");
  if (keys.size() > keys_max)
    throw jwks_error("the set has more than " + std::to_string(keys_max) + " keys");
  for (const auto each : keys) {
    dom::object key;
    if (each.get(key) || !no_member_twice(key))
      throw jwks_error("the set holds something that is not a key");
    std::string_view id;
    const bool named = !key["kid"].get(id) && !id.empty() && id.size() <= key_id_length_max;
    auto usable = named ? usable_key(key) : nullptr;
    if (!usable)
      ++skipped_;
    else if (!keys_.emplace(id, std::shared_ptr<EVP_PKEY>{std::move(usable)}).second)
      throw jwks_error("two keys of the set have one id");
  }
}

bool jwk_set::verify(std::string_view key_id, std::string_view text, std::string_view signature) const {
  const auto key = keys_.find(key_id);
  if (key == keys_.end())
    return false;
  const auto der = der_of(signature);
  if (der.empty())
    return false;
  const clean_errors after;
  const digest_context context{EVP_MD_CTX_new()};
  return context
         && EVP_DigestVerifyInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, key->second.get(), nullptr) == 1
         && EVP_DigestVerify(context.get(), raw(der), der.size(), raw(text), text.size()) == 1;
}

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t user_length_max = 256;

/// One parser and text per thread, used again.
struct reading {
  dom::parser parser;
  std::string json;
};
reading& here() {
  thread_local reading one;
  return one;
}

std::optional<dom::object> header_of(const token_parts& parts) {
  return object_in(here().parser, parts.header, here().json);
}

std::optional<std::string> key_id_in(const token_parts& parts) {
  const auto header = header_of(parts);
  if (!header || !text_is(*header, "alg", "ES256"))
    return std::nullopt;
  const bool typed = has_member(*header, "typ");
  if (typed && !text_is(*header, "typ", "JWT") && !text_is(*header, "typ", "at+jwt"))
    return std::nullopt;
  std::string_view id;
  if ((*header)["kid"].get(id) || id.empty() || id.size() > jwk_set::key_id_length_max)
    return std::nullopt;
  if (header->size() != (typed ? 3u : 2u))
    return std::nullopt; // a member more: a key of its own, an extension
  return std::string{id};
}

/// `aud` (RFC 7519, 4.1.3): one text, or a list of texts.
bool meant_for(const dom::object& claims, std::string_view audience) {
  dom::array list;
  if (claims["aud"].get(list))
    return text_is(claims, "aud", audience);
  bool found = false;
  for (const auto each : list) {
    std::string_view text;
    if (each.get(text))
      return false;
    found = found || text == audience;
  }
  return found;
}

/// When the token holds, by the provider's clock; nothing when a time is not one.
struct lifetime {
  std::int64_t from = 0;
  std::int64_t until = 0;
  std::optional<std::int64_t> issued;
};
std::optional<lifetime> lifetime_in(const dom::object& claims) {
  const auto expires = time_in(claims, "exp");
  if (!expires)
    return std::nullopt;
  lifetime out{0, *expires, std::nullopt};
  for (const auto* name : {"nbf", "iat"}) {
    if (!has_member(claims, name))
      continue;
    const auto at = time_in(claims, name);
    if (!at)
      return std::nullopt;
    out.from = std::max(out.from, *at);
    if (std::string_view{name} == "iat")
      out.issued = *at;
  }
  return out;
}

std::optional<std::string> user_in(const dom::object& claims, std::string_view name) {
  dom::element value;
  if (claims[name].get(value))
    return std::nullopt;
  if (std::int64_t number = 0; value.type() == dom::element_type::INT64 && !value.get(number))
    return std::to_string(number);
  if (std::uint64_t number = 0; value.type() == dom::element_type::UINT64 && !value.get(number))
    return std::to_string(number);
  std::string_view text;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (value.get(text) || text.empty() || text.size() > user_length_max
      || std::any_of(text.begin(), text.end(), control))
    return std::nullopt;
  return std::string{text};
}

std::chrono::sys_seconds at(std::int64_t seconds) { return std::chrono::sys_seconds{std::chrono::seconds{seconds}}; }

} // namespace

bool names_es256(std::string_view token) {
  const auto parts = split_token(token);
  const auto header = parts ? header_of(*parts) : std::nullopt;
  return header && text_is(*header, "alg", "ES256");
}

std::optional<std::string> key_id_of(std::string_view token) {
  const auto parts = split_token(token);
  return parts ? key_id_in(*parts) : std::nullopt;
}

outcome<provider_claims> verify_provider_token(const provider_rules& rules, const jwk_set& keys, std::string_view token,
                                               std::chrono::sys_seconds now) {
  const auto parts = split_token(token);
  if (!parts)
    return bad_token();
  const auto key_id = key_id_in(*parts);
  std::string signature;
  if (!key_id || !decode_base64url(parts->signature, signature)
      || !keys.verify(*key_id, parts->what_is_signed, signature))
    return bad_token();
  const auto claims = object_in(here().parser, parts->claims, here().json);
  if (!claims || !text_is(*claims, "iss", rules.issuer) || !meant_for(*claims, rules.audience))
    return bad_token();
  const auto valid = lifetime_in(*claims);
  auto user = user_in(*claims, rules.claim);
  if (!valid || !user)
    return bad_token();
  provider_claims out{*std::move(user), at(valid->from) - rules.clock_skew, at(valid->until) + rules.clock_skew,
                      valid->issued ? std::optional{at(*valid->issued)} : std::nullopt};
  if (now < out.not_before || now >= out.expires_at)
    return bad_token();
  return out;
}

} // namespace credence::auth
