#include "tests/system/partner_page.hpp"

#include "tests/system/identity.hpp"

#include <stdexcept>

namespace credence::test {

http_response partner_page::send(std::string_view method, std::string_view target, std::string_view body,
                                 http_headers headers) {
  if (!origin_.empty())
    headers.emplace_back("Origin", origin_);
  if (!client_name_.empty())
    headers.emplace_back("X-Service-Client", client_name_);
  if (!token_.empty())
    headers.emplace_back("Authorization", "Bearer " + token_);
  std::string all;
  for (const auto& [name, value] : cookies)
    all += (all.empty() ? "" : "; ") + name + "=" + value;
  if (!all.empty())
    headers.emplace_back("Cookie", all);
  if (!body.empty())
    headers.emplace_back("Content-Type", "application/json");
  auto answer = client_.send(method, target, headers, body);
  for (const auto& each : answer.cookies) {
    const auto name = each.substr(0, each.find('='));
    if (each.find("Max-Age=0") != std::string::npos)
      cookies.erase(name);
    else
      cookies[name] = each.substr(name.size() + 1, each.find(';') - name.size() - 1);
  }
  return answer;
}

http_response partner_page::post(std::string_view target, std::string_view body, const std::string& idempotency_key) {
  http_headers headers;
  if (!idempotency_key.empty())
    headers.emplace_back("Idempotency-Key", idempotency_key);
  return send("POST", target, body, std::move(headers));
}

http_response partner_page::exchange(const std::string& token) {
  return send("POST", "/api/v2/auth/exchange", {}, {{"Authorization", "Bearer " + token}});
}

std::string code_of(const http_response& answer) {
  return std::to_string(answer.status) + " " + (answer.status == 200 ? "" : json_text(answer.body, "/code"));
}

partner_page signed_in_at(service& at, int profile, const std::string& origin) {
  partner_page out{at, origin};
  if (const auto answer = out.exchange(fresh_token(at, profile)); answer.status != 200)
    throw std::runtime_error("no session: " + answer.body);
  return out;
}

partner_page let_in_at(service& at, int profile, const std::string& origin) {
  if (const auto answer = switch_partner(at, profile, true, origin); answer.status != 200)
    throw std::runtime_error("not let in: " + answer.body);
  return signed_in_at(at, profile, origin);
}

http_response switch_partner(service& at, int profile, bool enabled, const std::string& origin) {
  return at.client().send("POST", "/api/v2/wallets/managed/partners", with_json(by_bearer(at.token(profile))),
                          R"({"origin":")" + origin + R"(","enabled":)" + (enabled ? "true}" : "false}"));
}

} // namespace credence::test
