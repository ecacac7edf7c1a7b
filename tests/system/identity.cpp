#include "tests/system/identity.hpp"

#include "actors/domain/hash.hpp"
#include "config/settings.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/persistence/postgres_fixture.hpp"

#include <stdexcept>

namespace credence::test {

namespace {

// What the default of http.public_url makes of these.
constexpr auto domain = "127.0.0.1:8080";
constexpr auto origin = "http://127.0.0.1:8080";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '\n' ? std::string{"\\n"} : std::string{c};
  return out;
}

template <class Bytes>
std::string hex_of(const Bytes& bytes) {
  std::string out;
  append_hex(out, bytes);
  return out;
}

std::string uuid() {
  auto hex = auth::random_hex(16);
  for (const std::size_t at : {8, 13, 18, 23})
    hex.insert(at, 1, '-');
  return hex;
}

} // namespace

void link_wallet(service& to, const auth::wallet& whose, int profile) {
  to.database().sql("INSERT INTO addresses (address, user_id, kind, added_at) SELECT decode('"
                    + hex_of(whose.account().bytes)
                    + "', 'hex'), user_id, 'linked', now() FROM profiles WHERE id = " + std::to_string(profile)
                    + " ON CONFLICT (address) DO UPDATE SET user_id = excluded.user_id, kind = excluded.kind");
}

std::string signed_message(const auth::wallet& by, const std::string& nonce, const std::string& statement) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_now());
  auth::siwe_message message;
  message.domain = domain;
  message.account = by.account();
  message.statement = statement;
  message.uri = origin;
  message.chain_id = 8453;
  message.nonce = nonce;
  message.issued_at = {now, iso_text(now)};
  message.expiration_time = {now + 5min, iso_text(now + 5min)};
  const auto text = auth::siwe_text(message);
  return R"("message":")" + escaped(text) + R"(","signature":")" + by.sign(text) + '"';
}

std::string key_request(const auth::wallet& by, const std::string& name) {
  return R"({"address":")" + auth::checksummed_text(by.account()) + R"(","name":")" + name + "\","
         + signed_message(by, auth::random_hex(16), "Create an API key.") + "}";
}

api_key make_key(service& at, const auth::wallet& by, const std::string& name) {
  const auto answer = at.client().post("/api/v2/api-keys", key_request(by, name));
  if (answer.status != 200)
    throw std::runtime_error("no key was made: " + answer.body);
  return {json_text(answer.body, "/id"), json_text(answer.body, "/token")};
}

api_key insert_key(service& at, int profile, std::chrono::seconds token_ends_in, std::chrono::seconds row_ends_in) {
  const auto now = std::chrono::floor<std::chrono::seconds>(system_now());
  const auto made = now - std::chrono::days{30};
  auth::token_claims claims;
  claims.kind = auth::token_kind::api_key;
  claims.profile = profile_id{profile};
  claims.id = uuid();
  claims.issued_at = made;
  claims.expires_at = now + token_ends_in;
  api_key out{claims.id, settings::auth{}.key_prefix + auth::mint_token(token_rules_of(at), claims)};
  at.database().sql("INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at) VALUES ('"
                    + out.id + "', " + std::to_string(profile)
                    + ", (SELECT a.address FROM addresses a JOIN profiles p USING (user_id)"
                      " WHERE p.id = "
                    + std::to_string(profile) + " AND a.kind = 'primary'), 'inserted', decode('"
                    + hex_of(auth::sha256(out.token)) + "', 'hex'), '" + iso_text(timestamp{made}) + "', '"
                    + iso_text(timestamp{now + row_ends_in}) + "')");
  return out;
}

browser_session log_in(service& at, const auth::wallet& by) {
  auto client = at.client();
  const auto nonce = json_text(client.get("/api/v2/auth/nonce").body, "/nonce");
  const auto body = "{" + signed_message(by, nonce) + "}";
  const auto answer = client.post("/api/v2/auth/login", body);
  if (answer.status != 200)
    throw std::runtime_error("signing in was refused: " + answer.body);
  return {json_text(answer.body, "/accessToken"), answer.cookie("service-access-token"),
          answer.cookie("service-refresh-token"), body};
}

http_headers by_bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }
http_headers by_key(const std::string& token) { return {{"X-Service-Api-Key", token}}; }

http_headers by_cookie(const std::string& access_cookie, const std::string& origin_of_page) {
  http_headers out{{"Cookie", "service-access-token=" + access_cookie}};
  if (!origin_of_page.empty())
    out.emplace_back("Origin", origin_of_page);
  return out;
}

http_headers with_json(http_headers credential, const std::string& idempotency_key) {
  credential.emplace_back("Content-Type", "application/json");
  if (!idempotency_key.empty())
    credential.emplace_back("Idempotency-Key", idempotency_key);
  return credential;
}

} // namespace credence::test
