#include "http/commands/service_identity.hpp"

namespace credence::commands {

namespace {

/// `https://host:port` without its scheme.
std::string host_of(const std::string& origin) {
  const auto at = origin.find("://");
  return at == std::string::npos ? origin : origin.substr(at + 3);
}

} // namespace

http::identity identity_of(const settings::all& with, const auth::token_rules& tokens) {
  http::identity out;
  out.tokens = tokens;
  out.key_prefix = with.auth.key_prefix;
  const auto& origin = with.auth.origin.empty() ? with.http.public_url : with.auth.origin;
  out.for_keys.domains = {host_of(origin)};
  out.for_keys.origins = {origin};
  out.for_keys.chain_id = with.auth.chain_id;
  out.for_keys.clock_skew = std::chrono::seconds{with.auth.clock_skew_seconds};
  out.for_login = out.for_keys;
  for (const auto& page : with.http.allowed_origins) { // a page signs for itself
    out.for_login.domains.push_back(host_of(page));
    out.for_login.origins.push_back(page);
  }
  out.access_lifetime = std::chrono::minutes{with.auth.access_token_minutes};
  out.session_step = std::chrono::minutes{with.auth.session_token_minutes};
  out.session_lifetime = std::chrono::days{with.auth.session_days};
  if (with.auth.secure_cookies && with.http.public_url.starts_with("https://")) {
    // No other host of the same domain, and nobody on a plain connection, can set cookies of these names
    // (RFC 6265bis, 4.1.3.2). They belong to the whole host.
    out.access_cookie.insert(0, "__Host-");
    out.refresh_cookie.insert(0, "__Host-");
    out.refresh_path = "/";
  }
  out.partners.origins = with.partners.origins;
  out.partners.act = with.partners.actions;
  if (with.http.public_url.starts_with("https://")) {
    out.partners.cookie_prefix = "__Host-";
    out.partners.refresh_path = "/";
  }
  out.cookie_attributes =
    std::string{"; HttpOnly"} + (with.auth.secure_cookies ? "; Secure" : "") + "; SameSite=" + with.auth.same_site;
  return out;
}

} // namespace credence::commands
