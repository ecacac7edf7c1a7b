#include "http/outside/outside_url.hpp"

#include "auth/uri.hpp"
#include "config/setting_checks.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace credence::http {

namespace {

constexpr std::string_view secure = "https://";
constexpr std::string_view plain_text = "http://";

/// The host of a URL that may be asked; nothing for another.
std::optional<std::string> host_in(std::string_view url) {
  if (!url.starts_with(secure) && !url.starts_with(plain_text))
    return std::nullopt;
  const auto rest = url.substr(url.starts_with(secure) ? secure.size() : plain_text.size());
  const auto authority = rest.substr(0, rest.find_first_of("/?"));
  if (!auth::is_uri(url) || !auth::is_authority_with_host(authority) || authority.find('@') != std::string_view::npos
      || url.find('#') != std::string_view::npos)
    return std::nullopt;
  if (authority.starts_with('['))
    return std::string{authority.substr(0, authority.find(']') + 1)};
  return std::string{authority.substr(0, authority.find(':'))};
}

/// On this machine, by a name that no resolver decides on.
bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "[::1]" || settings::is_loopback(host);
}

/// In a private network (RFC 1918, RFC 4193), by its number.
bool is_private(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    const auto number = ntohl(four.s_addr);
    return number >> 24 == 10 || number >> 20 == 0xac1 || number >> 16 == 0xc0a8;
  }
  in6_addr six{};
  return host.starts_with('[') && inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) == 1
         && (six.s6_addr[0] & 0xfe) == 0xfc;
}

} // namespace

bool is_url(std::string_view text) { return text.find("://") != std::string_view::npos; }

std::string origin_of(std::string_view url) {
  const auto scheme = url.starts_with(secure) ? secure : url.starts_with(plain_text) ? plain_text : std::string_view{};
  if (scheme.empty())
    return {};
  std::string out{url.substr(0, url.find_first_of("/?#", scheme.size()))};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view own_port = scheme == secure ? ":443" : ":80";
  if (out.ends_with(own_port))
    out.resize(out.size() - own_port.size());
  return out;
}

std::optional<std::string> mistake_in_url(std::string_view url, plain_http to) {
  const auto host = host_in(url);
  if (!host)
    return "an https:// URL with a host, without a user and a fragment";
  if (is_secure_url(url) || is_loopback(*host) || (to == plain_http::private_networks && is_private(*host)))
    return std::nullopt;
  return to == plain_http::private_networks
           ? "an https:// URL; http:// is for this machine (localhost, 127.0.0.1, [::1]) and for addresses of private "
             "networks, such as 10.0.0.5"
           : "an https:// URL; http:// is for this machine alone (localhost, 127.0.0.1, [::1])";
}

} // namespace credence::http
