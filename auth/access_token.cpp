#include "auth/access_token.hpp"

#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "auth/token_parts.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

// The MAC comes from OpenSSL and the JSON from simdjson, put together here by hand: the
// JWT library at hand takes what this must refuse (trailing bytes, members given twice,
// numbers of the wrong type), and checking all of that again leaves it nothing to do.

namespace credence::auth {

namespace {

namespace dom = simdjson::dom;

std::string_view text_of(const digest& d) { return {reinterpret_cast<const char*>(d.data()), d.size()}; }

bool of_console(token_kind kind) { return kind == token_kind::console; }

std::optional<profile_id> subject_in(const dom::object& object, token_kind wanted) {
  std::string_view text;
  if (of_console(wanted) && !object["sub"].get(text) && text == "0")
    return profile_id{};
  if (object["sub"].get(text) || text.empty() || text.size() > 10 || text.front() == '0')
    return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > limits::id_max)
    return std::nullopt;
  return profile_id{static_cast<std::int32_t>(value)};
}

constexpr std::size_t signing_key_id_bytes = 8;

constexpr std::array<std::string_view, 7> type_names{"JWT",         "apikey+jwt",          "session+jwt", "refresh+jwt",
                                                     "partner+jwt", "partner-refresh+jwt", "console+jwt"};
std::string_view type_of(token_kind kind) { return type_names[static_cast<std::size_t>(kind)]; }

/// False when there is something of that name that is no text.
bool optional_text(const dom::object& object, std::string_view name, std::string& out) {
  std::string_view text;
  if (has_member(object, name)) {
    if (object[name].get(text))
      return false;
    out = text;
  }
  return true;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

bool is_signed_by(const secret& key, const token_parts& parts, std::string_view signature) {
  const auto mac = hmac_sha256(key.reveal(), parts.what_is_signed);
  return same_in_constant_time(std::as_bytes(std::span{signature}), mac);
}

/// Whether the header is ours, and the key that it names has signed. Tokens of earlier releases and of
/// other programs that have the key name none: any of ours may have signed those.
bool well_signed(const token_rules& rules, const token_parts& parts, token_kind wanted) {
  thread_local dom::parser parser;
  thread_local std::string json;
  const auto header = object_in(parser, parts.header, json);
  if (!header || !text_is(*header, "alg", "HS256") || !text_is(*header, "typ", type_of(wanted)))
    return false;
  std::string_view kid;
  const bool named = has_member(*header, "kid");
  if (named && (*header)["kid"].get(kid))
    return false;
  // Nothing else, such as a key to use or extensions to understand.
  if (header->size() != (named ? 3u : 2u))
    return false;
  std::string signature;
  if (!decode_base64url(parts.signature, signature))
    return false;
  const auto fits = [&](const signing_key& key) {
    return (!named || kid == key.id()) && is_signed_by(key, parts, signature);
  };
  return fits(rules.key) || std::any_of(rules.older.begin(), rules.older.end(), fits);
}

} // namespace

std::string signing_key_id(const secret& key) {
  const auto hash = sha256("signing key " + key.reveal());
  std::string out;
  append_hex(out, std::span{hash}.first(signing_key_id_bytes));
  return out;
}

refusal bad_token() { return {refusal_code::unauthenticated, "the access token is not valid"}; }

std::string mint_access_token(const token_rules& rules, profile_id profile, bool admin, std::chrono::sys_seconds now,
                              std::chrono::seconds lifetime) {
  token_claims claims;
  claims.profile = profile;
  claims.admin = admin;
  claims.issued_at = now;
  claims.expires_at = now + (admin ? std::min<std::chrono::seconds>(lifetime, admin_token_lifetime_max) : lifetime);
  if (admin)
    claims.id = random_hex(16);
  return mint_token(rules, claims);
}

std::string mint_token(const token_rules& rules, const token_claims& holder) {
  const auto seconds = [](std::chrono::sys_seconds at) { return std::to_string(at.time_since_epoch().count()); };
  auto claims = "{\"iss\":" + json_text(rules.issuer) + ",\"aud\":" + json_text(rules.audience) + ",\"sub\":\""
                + std::to_string(holder.profile.value) + "\",\"iat\":" + seconds(holder.issued_at)
                + ",\"nbf\":" + seconds(holder.issued_at) + ",\"exp\":" + seconds(holder.expires_at);
  if (!holder.id.empty())
    claims += ",\"jti\":" + json_text(holder.id);
  if (!holder.session.empty())
    claims += ",\"sid\":" + json_text(holder.session);
  if (!holder.unique.empty())
    claims += ",\"rnd\":" + json_text(holder.unique);
  if (!holder.role.empty())
    claims += ",\"role\":" + json_text(holder.role);
  if (!holder.name.empty())
    claims += ",\"name\":" + json_text(holder.name);
  if (!holder.wallet.empty())
    claims += ",\"wallet\":" + json_text(holder.wallet);
  claims += holder.admin ? ",\"admin\":true}" : "}";
  auto token = base64url("{\"alg\":\"HS256\",\"typ\":\"" + std::string{type_of(holder.kind)} + "\",\"kid\":\""
                         + rules.key.id() + "\"}")
               + '.' + base64url(claims);
  const auto mac = hmac_sha256(rules.key.reveal(), token);
  return token + '.' + base64url(text_of(mac));
}

outcome<verified_token> verify_access_token(const token_rules& rules, std::string_view token,
                                            std::chrono::sys_seconds now) {
  return verify_token(rules, token, token_kind::access, now);
}

outcome<verified_token> verify_token(const token_rules& rules, std::string_view token, token_kind wanted,
                                     std::chrono::sys_seconds now) {
  const auto parts = split_token(token);
  if (!parts)
    return bad_token();
  // The claims of what we have not signed are never read.
  if (!well_signed(rules, *parts, wanted))
    return bad_token();
  thread_local dom::parser parser;
  thread_local std::string decoded;
  const auto claims = object_in(parser, parts->claims, decoded);
  if (!claims || !text_is(*claims, "iss", rules.issuer) || !text_is(*claims, "aud", rules.audience))
    return bad_token();
  const auto subject = subject_in(*claims, wanted);
  const auto issued = time_in(*claims, "iat");
  const auto not_before = time_in(*claims, "nbf");
  const auto expires = time_in(*claims, "exp");
  if (!subject || !issued || !not_before || !expires)
    return bad_token();
  const auto at = now.time_since_epoch().count();
  const auto skew = rules.clock_skew.count();
  if (at >= *expires + skew || at + skew < *not_before || at + skew < *issued)
    return bad_token();
  verified_token out;
  out.kind = wanted;
  out.profile = *subject;
  if (!optional_text(*claims, "jti", out.id) || !optional_text(*claims, "sid", out.session))
    return bad_token();
  if (wanted != token_kind::access && out.id.empty())
    return bad_token();
  if (of_console(wanted)
      && (!optional_text(*claims, "role", out.role) || !optional_text(*claims, "name", out.name)
          || !optional_text(*claims, "wallet", out.wallet)))
    return bad_token();
  bool admin = false;
  out.lives_hours = std::chrono::seconds{*expires - *issued} <= admin_token_lifetime_max;
  // One that cannot be revoked, or lives for long, is nobody's admin.
  out.admin = !(*claims)["admin"].get(admin) && admin && out.lives_hours && !out.id.empty();
  out.issued_at = std::chrono::sys_seconds{std::chrono::seconds{*issued}};
  out.not_before = std::chrono::sys_seconds{std::chrono::seconds{*not_before - skew}};
  out.expires_at = std::chrono::sys_seconds{std::chrono::seconds{*expires + skew}};
  return out;
}

} // namespace credence::auth
