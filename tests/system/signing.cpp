#include "tests/system/signing.hpp"

#include "ops/demo/words.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/waiting.hpp"

#include <cstdio>

namespace credence::test {

using namespace std::chrono_literals;

const auth::wallet& demo_wallet(int profile) {
  static const std::vector<auth::wallet> all = [] {
    std::vector<auth::wallet> out;
    for (const auto& each : persistence::demo_words::wallets)
      out.push_back(auth::wallet::of_key(each.key));
    return out;
  }();
  return all.at(static_cast<std::size_t>(profile - 1));
}

auth::siwe_time moment(timestamp at) { return {at, iso_text(at)}; }

std::string fresh_nonce() { return auth::random_hex(16); }

auth::siwe_message key_message(const auth::wallet& by) {
  auth::siwe_message out;
  out.domain = signing_host;
  out.account = by.account();
  out.statement = "Create an API key.";
  out.uri = signing_origin;
  out.chain_id = 8453;
  out.nonce = fresh_nonce();
  const auto now = system_now();
  out.issued_at = moment(now);
  out.expiration_time = moment(now + 5min);
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_object(const json_members& members) {
  std::string out;
  for (const auto& [name, value] : members)
    if (!value.empty())
      out.append(out.empty() ? "{" : ",").append(json_string(name)).append(":").append(value);
  return out.empty() ? "{}" : out + '}';
}

key_order::key_order(const auth::wallet& by)
  : says(key_message(by)), signer(&by), address(auth::checksummed_text(by.account())) {}

std::string key_order::body() const {
  auto text = auth::siwe_text(says);
  if (rewrite)
    text = rewrite(std::move(text));
  auto signature = signer->sign(text);
  if (forge)
    signature = forge(std::move(signature));
  auto all = members;
  all.emplace("address", json_string(address)); // does not replace one that a test has put there
  all.emplace("message", json_string(text));
  all.emplace("signature", json_string(signature));
  return json_object(all);
}

std::string login_body(const auth::siwe_message& says, const auth::wallet& by) {
  const auto text = auth::siwe_text(says);
  return json_object({{"message", json_string(text)}, {"signature", json_string(by.sign(text))}});
}

http_response post_until_decided(http_client& client, std::string_view target, std::string_view json,
                                 http_headers headers) {
  headers.emplace_back("Content-Type", "application/json");
  for (const auto until = std::chrono::steady_clock::now() + wait_at_most;; std::this_thread::sleep_for(10ms)) {
    auto answer = client.send("POST", target, headers, json);
    if ((answer.status != 429 && answer.status != 503) || std::chrono::steady_clock::now() > until)
      return answer;
  }
}

http_response with_key(http_client& client, std::string_view method, std::string_view target, std::string_view key,
                       std::string_view body) {
  http_headers headers{{"X-Service-Api-Key", std::string{key}}};
  if (!body.empty())
    headers.emplace_back("Content-Type", "application/json");
  return client.send(method, target, headers, body);
}

} // namespace credence::test
