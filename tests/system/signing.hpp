#pragma once

#include "auth/siwe_message.hpp"
#include "tests/auth/wallet.hpp"
#include "tests/system/http_client.hpp"

#include <functional>

/// Requests that a wallet signs, as their clients make them.
namespace credence::test {

/// Origin and host that the tests' servers go by, so that messages are the same at every port.
inline constexpr const char* signing_origin = "https://api.credence.test";
inline constexpr const char* signing_host = "api.credence.test";

/// The wallet of demo profile 1 to 10.
const auth::wallet& demo_wallet(int profile);

/// A time of a message.
auth::siwe_time moment(timestamp at);

/// A nonce that was never used: 32 hexadecimal digits.
std::string fresh_nonce();

/// A message with which `by` makes a key: issued now, good for five minutes, with a fresh nonce.
auth::siwe_message key_message(const auth::wallet& by);

/// A JSON string.
std::string json_string(std::string_view text);

/// The members of a JSON object, each value being JSON already.
using json_members = std::map<std::string, std::string>;
std::string json_object(const json_members& members);

/// A request for an API key that nothing is wrong with, until a test changes something.
struct key_order {
  explicit key_order(int profile) : key_order(demo_wallet(profile)) {}
  explicit key_order(const auth::wallet& by);

  auth::siwe_message says;
  const auth::wallet* signer;                      // who signs
  std::string address;                             // of the body
  std::function<std::string(std::string)> rewrite; // of the text, before it is signed
  std::function<std::string(std::string)> forge;   // of the signature
  json_members members{{"name", "\"a bot\""}};     // besides address, message and signature; "" leaves one out

  std::string body() const;
};

/// The text of a message and its signature, as `POST /api/v2/auth/login` takes them.
std::string login_body(const auth::siwe_message& says, const auth::wallet& by);

/// Sends a JSON body; again after 429 and 503, which say that nothing is decided.
http_response post_until_decided(http_client& client, std::string_view target, std::string_view json,
                                 http_headers headers = {});

/// A request with an API key.
http_response with_key(http_client& client, std::string_view method, std::string_view target, std::string_view key,
                       std::string_view body = {});

} // namespace credence::test
