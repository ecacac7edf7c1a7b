#pragma once

#include "tests/system/service.hpp"

/// Pages of partners, as a browser shows them.
namespace credence::test {

inline const std::string partner_origin = "https://partner.example";
inline const std::string other_partner = "https://other-partner.example";
inline const std::string own_page = "https://app.credence.test"; // of this service's own front end

/// A page of some origin: it keeps cookies, says where it comes from, and which program it is.
class partner_page {
public:
  explicit partner_page(service& at, std::string origin = partner_origin)
    : client_(at.client()), origin_(std::move(origin)) {}
  /// The same page, with its cookies, of a server that was started again at another port.
  partner_page(service& at, partner_page before)
    : cookies(std::move(before.cookies)), client_(at.client()), origin_(std::move(before.origin_)),
      client_name_(std::move(before.client_name_)), token_(std::move(before.token_)) {}

  http_response send(std::string_view method, std::string_view target, std::string_view body = {},
                     http_headers headers = {});
  http_response get(std::string_view target) { return send("GET", target); }
  http_response post(std::string_view target, std::string_view body = {}, const std::string& idempotency_key = {});
  /// Trades an access token for a session.
  http_response exchange(const std::string& token);
  /// What the page would have to do without: its name, its cookies.
  partner_page& without_client() {
    client_name_.clear();
    return *this;
  }
  partner_page& from(std::string origin) {
    origin_ = std::move(origin);
    return *this;
  }
  /// Shows a token in place of cookies.
  partner_page& with_token(std::string token) {
    token_ = std::move(token);
    return *this;
  }

  std::map<std::string, std::string> cookies;

private:
  http_client client_;
  std::string origin_;
  std::string client_name_ = "example-page@1.0";
  std::string token_;
};

/// `status CODE` of a refusal, `200 ` of anything else.
std::string code_of(const http_response& answer);

/// A partner's page on which a demo profile has signed in.
partner_page signed_in_at(service& at, int profile, const std::string& origin = partner_origin);
/// The same where the profile has let it act.
partner_page let_in_at(service& at, int profile, const std::string& origin = partner_origin);
/// Switches a partner on or off, as the user does on a page of ours.
http_response switch_partner(service& at, int profile, bool enabled, const std::string& origin = partner_origin);

} // namespace credence::test
