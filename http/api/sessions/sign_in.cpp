#include "http/api/sessions/sign_in.hpp"

#include "actors/domain/hex.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "http/call/json_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <charconv>

namespace credence::http {

namespace {

using namespace std::chrono_literals;

constexpr auto nonce_lifetime = 10min;
constexpr std::size_t time_digits = 10;
constexpr std::size_t random_digits = 16;
constexpr std::size_t mac_digits = 32;

std::string mac_of(const secret& key, std::string_view begin) {
  const auto mac = auth::hmac_sha256(key.reveal(), "sign-in nonce " + std::string{begin});
  std::string out;
  append_hex(out, std::span{mac}.first(mac_digits / 2));
  return out;
}

} // namespace

outcome<unsigned_claim> read_sign_in(const call& c, const auth::siwe_expectation& expected, const auth::token_rules& tokens,
                                     std::string_view nonces_from) {
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto message = body->text("message");
  const auto signature = body->text("signature");
  if (body->good() && (!message || !signature))
    body->issue("message and signature are required");
  if (!body->good())
    return body->why();
  auto claim = read_claim(*message, *signature, expected, c.now());
  if (claim && !good_nonce(tokens, claim->nonce.nonce, c.now()))
    return refusal{refusal_code::invalid_message, "the nonce must be a fresh one from GET " + std::string{nonces_from}};
  return claim;
}

outcome<unsigned_claim> read_claim(std::string_view message, std::string_view signature, const auth::siwe_expectation& expected, timestamp now) {
  auto read = auth::parse_siwe_message(message);
  if (!read)
    return refusal{refusal_code::invalid_message, "message is not a sign-in message (EIP-4361): " + auth::explain(read.why())};
  if (const auto why = auth::check(*read, expected, now))
    return refusal{*why == auth::siwe_refusal::expired ? refusal_code::message_expired : refusal_code::invalid_message,
                   auth::explain(*why, expected)};
  unsigned_claim out;
  out.account = read->account;
  out.nonce = {read->account, read->nonce, read->expiration_time->at};
  out.message = message;
  out.signature = signature;
  out.statement = std::move(read->statement);
  return out;
}

people::find_people owner_of(const address& account) { return {{key_of_address(account)}}; }

refusal not_signed_by(const address& account) {
  return {refusal_code::invalid_signature, "the message is not signed by " + auth::checksummed_text(account)};
}

refusal nobody_with(const address& account) { return {refusal_code::forbidden, "no profile is linked to " + auth::checksummed_text(account)}; }

std::string make_nonce(const auth::token_rules& rules, timestamp now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  auto out = std::to_string(seconds);
  out.insert(0, time_digits - std::min(time_digits, out.size()), '0');
  out += auth::random_hex(random_digits / 2);
  return out + mac_of(rules.key, out);
}

bool is_sign_in_nonce(const auth::token_rules& rules, std::string_view nonce) {
  if (nonce.size() != time_digits + random_digits + mac_digits)
    return false;
  const auto begin = nonce.substr(0, time_digits + random_digits);
  const auto made_with = [&](const secret& key) {
    const auto mac = mac_of(key, begin);
    return auth::same_in_constant_time(std::as_bytes(std::span{nonce.substr(begin.size())}), std::as_bytes(std::span{mac}));
  };
  return made_with(rules.key) || std::any_of(rules.older.begin(), rules.older.end(), made_with);
}

bool good_nonce(const auth::token_rules& rules, std::string_view nonce, timestamp now) {
  if (!is_sign_in_nonce(rules, nonce))
    return false;
  std::int64_t seconds = 0;
  std::from_chars(nonce.data(), nonce.data() + time_digits, seconds);
  const timestamp made{std::chrono::seconds{seconds}};
  return made <= now + rules.clock_skew && now < made + nonce_lifetime;
}

} // namespace credence::http
