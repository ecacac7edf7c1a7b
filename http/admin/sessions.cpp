#include "http/admin/sessions.hpp"

#include "actors/domain/hex.hpp"
#include "auth/digest.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http::admin {

namespace {

using namespace std::chrono_literals;

constexpr auto link_lifetime = 10min;
constexpr auto renewed_after = 1min;
constexpr std::size_t link_random_bytes = 6;
constexpr std::size_t link_mac_bytes = 12;
constexpr std::size_t link_name_length_max = 24;
constexpr std::size_t link_code_length_max = 100;

std::chrono::sys_seconds in_seconds(timestamp at) { return std::chrono::floor<std::chrono::seconds>(at); }

role role_named(std::string_view name) {
  const auto found = std::find(role_names.begin(), role_names.end(), name);
  return found == role_names.end() ? role::none : static_cast<role>(found - role_names.begin());
}

refusal over() { return {refusal_code::not_signed_in, "the session has ended; sign in again"}; }

/// Of the parts before it, to 96 bits: it is guessed only by asking the server.
std::string link_mac(const secret& key, std::string_view parts) {
  const auto mac = auth::hmac_sha256(key.reveal(), "console link " + std::string{parts});
  return auth::base64url({reinterpret_cast<const char*>(mac.data()), link_mac_bytes});
}

std::vector<std::string_view> parts_of(std::string_view code) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= code.size();) {
    const auto end = std::min(code.find('.', at), code.size());
    out.push_back(code.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// What the code says, if it was signed with one of our keys.
std::optional<link> read_link(const auth::token_rules& rules, std::string_view code) {
  if (code.size() > link_code_length_max)
    return std::nullopt;
  const auto parts = parts_of(code);
  if (parts.size() != 5)
    return std::nullopt;
  const auto said = code.substr(0, code.size() - parts[4].size() - 1);
  const auto fits = [&](const secret& key) {
    const auto right = link_mac(key, said);
    return auth::same_in_constant_time(std::as_bytes(std::span{parts[4]}), std::as_bytes(std::span{right}));
  };
  if (!fits(rules.key) && std::none_of(rules.older.begin(), rules.older.end(), fits))
    return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), seconds, 36);
  const timestamp made{std::chrono::seconds{seconds}};
  return link{"console-link-" + std::string{parts[0]} + "-" + std::string{parts[1]}, role_named(parts[2]),
              std::string{parts[3]}, made, made + link_lifetime};
}

} // namespace

std::string make_link_code(const auth::token_rules& rules, role of, std::string_view name, timestamp now) {
  char time[16];
  const auto seconds = in_seconds(now).time_since_epoch().count();
  const auto end = std::to_chars(time, time + sizeof time, seconds, 36).ptr;
  auto out = auth::random_hex(link_random_bytes) + "." + std::string{time, end} + "." + std::string{name_of(of)} + ".";
  for (const char c : name.substr(0, link_name_length_max))
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
      out += c;
  return out + "." + link_mac(rules.key, out);
}

/// A profile's role is what the settings give it now.
role sessions::role_now(const auth::verified_token& token) const {
  return token.profile.value > 0 ? role_of(by_, token.profile, false) : role_named(token.role);
}

outcome<caller> sessions::find(std::string_view cookie, timestamp now) const {
  if (cookie.empty())
    return refusal{refusal_code::not_signed_in, "nobody is signed in"};
  const auto token = auth::verify_token(by_.tokens, cookie, auth::token_kind::console, in_seconds(now));
  if (!token || has_ended(token->id))
    return over();
  caller out;
  out.signed_in_at = token->issued_at;
  out.ends_at = out.signed_in_at + by_.session_max;
  out.idle_ends_at = token->expires_at - by_.tokens.clock_skew;
  if (now >= *out.ends_at || now >= *out.idle_ends_at)
    return over();
  out.may = role_now(*token);
  if (out.may == role::none)
    return refusal{refusal_code::not_signed_in, "the profile has no role at the console any more"};
  if (token->profile.value > 0)
    out.profile = token->profile;
  out.name = token->name;
  out.by = token->profile.value > 0 ? entry::wallet : entry::link;
  out.session = token->id;
  return out;
}

caller sessions::open(caller who, timestamp now) const {
  who.session = "console-" + auth::random_hex(16);
  who.signed_in_at = in_seconds(now);
  who.ends_at = who.signed_in_at + by_.session_max;
  who.idle_ends_at = std::min<timestamp>(who.signed_in_at + by_.idle_max, *who.ends_at);
  return who;
}

std::string sessions::cookie_of(const caller& who) const {
  auth::token_claims claims;
  claims.kind = auth::token_kind::console;
  claims.profile = who.profile.value_or(profile_id{});
  claims.id = who.session;
  claims.issued_at = in_seconds(who.signed_in_at);
  claims.expires_at = in_seconds(*who.idle_ends_at);
  if (!who.profile)
    claims.role = name_of(who.may);
  claims.name = who.name;
  return auth::mint_token(by_.tokens, claims);
}

std::string sessions::set_cookie(const caller& who) const {
  return "Set-Cookie: " + by_.cookie + "=" + cookie_of(who) + by_.cookie_attributes;
}

std::string sessions::clear_cookie() const {
  return "Set-Cookie: " + by_.cookie + "=" + by_.cookie_attributes + "; Max-Age=0";
}

std::optional<caller> sessions::renewed(const caller& who, timestamp now) const {
  if (who.session.empty())
    return std::nullopt;
  const auto until = std::min<timestamp>(in_seconds(now) + by_.idle_max, *who.ends_at);
  if (until - *who.idle_ends_at < renewed_after)
    return std::nullopt;
  auto out = who;
  out.idle_ends_at = until;
  return out;
}

std::string sessions::csrf_token_of(std::string_view session) const {
  const auto mac = auth::hmac_sha256(by_.tokens.key.reveal(), "console csrf " + std::string{session});
  std::string out;
  append_hex(out, mac);
  return out;
}

/// Also one that was told before the key was changed.
bool sessions::is_csrf_token_of(std::string_view session, std::string_view token) const {
  const auto same = [&](const secret& key) {
    const auto mac = auth::hmac_sha256(key.reveal(), "console csrf " + std::string{session});
    std::string right;
    append_hex(right, mac);
    return auth::same_in_constant_time(std::as_bytes(std::span{token}), std::as_bytes(std::span{right}));
  };
  return same(by_.tokens.key) || std::any_of(by_.tokens.older.begin(), by_.tokens.older.end(), same);
}

outcome<link> sessions::use_link(std::string_view code, timestamp now) {
  const refusal no{refusal_code::not_signed_in,
                   "this link was used before, or is too old: `credence console-link` makes another one"};
  auto found = read_link(by_.tokens, code);
  if (!found || found->of == role::none || now >= found->ends_at || now + by_.tokens.clock_skew < found->made_at
      || has_ended(found->id))
    return no;
  // What was used before this process began is known once the database has told.
  if (!knows_ && found->made_at < std::chrono::floor<std::chrono::seconds>(by_.started_at))
    return no;
  if (!end(found->id, found->ends_at, now))
    return refusal{refusal_code::not_signed_in, "too many links were used lately; try again in ten minutes"};
  return *std::move(found);
}

bool sessions::end(const std::string& id, timestamp until, timestamp now) {
  if (ended_.size() >= names_max)
    std::erase_if(ended_, [now](const auto& each) { return each.second + 1min < now; });
  if (ended_.size() >= names_max)
    return false;
  ended_[id] = until;
  return true;
}

void sessions::know_ended(const std::vector<std::string>& ids, timestamp now) {
  for (const auto& id : ids)
    ended_.emplace(id, now + by_.session_max);
  knows_ = true;
}

} // namespace credence::http::admin
