#pragma once

#include "tests/auth/wallet.hpp"
#include "tests/system/service.hpp"

/// Credentials of every kind, made as clients make them.
namespace credence::test {

/// A page that may call with credentials; give `allow_pages` to `service::start`.
inline const std::string allowed_page = "https://app.example.org";
inline const std::vector<std::string> allow_pages{"--http-allowed-origins", allowed_page};

/// Makes `whose` an address of a demo profile. Before the server starts.
void link_wallet(service& to, const auth::wallet& whose, int profile);

/// A message (EIP-4361) for this service with its signature: a JSON object without its braces,
/// as both making a key and signing in take it.
std::string signed_message(const auth::wallet& by, const std::string& nonce, const std::string& statement = "Sign in.");
/// The body that makes a key.
std::string key_request(const auth::wallet& by, const std::string& name);

struct api_key {
  std::string id;
  std::string token;
};
/// Makes a key over the API; throws when it is refused.
api_key make_key(service& at, const auth::wallet& by, const std::string& name = "key");
/// The same past the API: a key whose token and row end at these times.
api_key insert_key(service& at, int profile, std::chrono::seconds token_ends_in, std::chrono::seconds row_ends_in);

/// What a browser holds after it has signed in.
struct browser_session {
  std::string access_token; // the bearer token that the answer told
  std::string access_cookie;
  std::string refresh_cookie;
  std::string body; // of the request: the message and its signature
};
/// Signs in; throws when that is refused.
browser_session log_in(service& at, const auth::wallet& by);

// Headers that show a credential.
http_headers by_bearer(const std::string& token);
http_headers by_key(const std::string& token);
http_headers by_cookie(const std::string& access_cookie, const std::string& origin = {});
/// Those headers, with the type of a JSON body and an Idempotency-Key unless that is empty.
http_headers with_json(http_headers credential, const std::string& idempotency_key = {});

} // namespace credence::test
