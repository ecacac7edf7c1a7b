#include "http/outside/identity_provider.hpp"

#include "http/call/userkey.hpp"
#include "http/outside/outside_url.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace credence::http {

namespace {

constexpr std::size_t claim_length_max = 100;

std::string mistake_in_jwks(const std::string& jwks) {
  const std::string setting = "auth.provider.jwks is '" + jwks + "', but must be ";
  if (!is_url(jwks))
    return std::ifstream{jwks}.good() ? "" : setting + "a file that can be read, or an https:// URL";
  const auto wanted = mistake_in_url(jwks);
  return wanted ? setting + "a file, or " + *wanted : "";
}

} // namespace

// -- whom a claim names ----------------------------------------------------------------------

std::optional<userkey_template> userkey_template::parse(std::string_view text) {
  const auto open = text.find('{');
  const auto close = text.find('}', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos || close - open < 2
      || close - open - 1 > claim_length_max || std::count(text.begin(), text.end(), '{') != 1
      || std::count(text.begin(), text.end(), '}') != 1)
    return std::nullopt;
  userkey_template out;
  out.before_ = text.substr(0, open);
  out.claim_ = text.substr(open + 1, close - open - 1);
  out.behind_ = text.substr(close + 1);
  const std::string digits(40, '1');
  for (const auto& sample : {std::string{"1"}, "0x" + digits, digits})
    if (const auto key = parse_userkey(out.before_ + sample + out.behind_);
        key && key->how != people::lookup_key::form::x_handle) {
      out.how_ = key->how;
      return out;
    }
  return std::nullopt;
}

std::optional<people::lookup_key> userkey_template::fill(std::string_view value) const {
  if (value.empty() || value.find(':') != std::string_view::npos)
    return std::nullopt;
  auto key = parse_userkey(before_ + std::string{value} + behind_);
  return key && key->how == how_ ? std::optional{*std::move(key)} : std::nullopt;
}

// -- the settings ----------------------------------------------------------------------------

std::vector<std::string> provider_mistakes(const settings::auth& with) {
  const auto& provider = with.provider;
  const std::pair<const char*, const std::string*> all[]{{"issuer", &provider.issuer},
                                                         {"audience", &provider.audience},
                                                         {"jwks", &provider.jwks},
                                                         {"userkey", &provider.userkey}};
  const auto missing =
    std::count_if(std::begin(all), std::end(all), [](const auto& each) { return each.second->empty(); });
  if (missing == std::ssize(all))
    return {};
  std::vector<std::string> out;
  for (const auto& [name, value] : all)
    if (value->empty())
      out.push_back(std::string{"auth.provider."} + name
                    + " is empty, but an identity provider needs issuer, audience, jwks and userkey");
  if (!provider.issuer.empty() && provider.issuer == with.issuer)
    out.push_back("auth.provider.issuer is '" + provider.issuer
                  + "', which is auth.issuer: the provider's must be another");
  if (!provider.jwks.empty())
    if (auto mistake = mistake_in_jwks(provider.jwks); !mistake.empty())
      out.push_back(std::move(mistake));
  if (!provider.userkey.empty() && !userkey_template::parse(provider.userkey))
    out.push_back("auth.provider.userkey is '" + provider.userkey
                  + "', but must be a userkey with one claim's name in braces, such as address:{wallet_address}, "
                    "profileId:{profile_id} or service:x.com:{x_id}; a username will not do, because it changes hands");
  return out;
}

} // namespace credence::http
