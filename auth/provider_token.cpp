#include "auth/provider_token.hpp"

#include "auth/digest.hpp"
#include "auth/token_parts.hpp"

#include <algorithm>

namespace credence::auth {

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
