#include "http/api/sessions/sign_in.hpp"

#include "actors/domain/hex.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "http/call/json_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace credence::http {

namespace {

using namespace std::chrono_literals;

constexpr auto nonce_lifetime = 10min;
constexpr std::size_t time_digits = 10;
constexpr std::size_t random_digits = 16;
constexpr std::size_t mac_digits = 32;

/// What the MAC of a nonce begins with, in the order of `nonce_for`.
constexpr std::array<std::string_view, 3> nonce_labels{"sign-in nonce ", "console sign-in nonce ",
                                                       "wallet export nonce "};

std::string mac_of(const secret& key, nonce_for what, std::string_view begin) {
  const auto mac =
    auth::hmac_sha256(key.reveal(), std::string{nonce_labels[static_cast<std::size_t>(what)]} + std::string{begin});
  std::string out;
  append_hex(out, std::span{mac}.first(mac_digits / 2));
  return out;
}

constexpr std::string_view link_begin = "Link this address to profile ";
constexpr std::string_view export_begin = "Export the key of ";
constexpr std::array<std::string_view, 4> words_for_keys{"key", "keys", "apikey", "apikeys"};
constexpr std::array<std::string_view, 13> words_for_making{
  "create", "creating", "creation", "make",       "making", "generate", "generating",
  "issue",  "register", "request",  "requesting", "add",    "new"};

/// Small letters, of ASCII.
std::string small(std::string_view text) {
  std::string out{text};
  for (auto& each : out)
    if (each >= 'A' && each <= 'Z')
      each = static_cast<char>(each - 'A' + 'a');
  return out;
}

bool made_for(const auth::token_rules& rules, nonce_for what, std::string_view nonce) {
  if (nonce.size() != time_digits + random_digits + mac_digits)
    return false;
  const auto begin = nonce.substr(0, time_digits + random_digits);
  const auto made_with = [&](const secret& key) {
    const auto mac = mac_of(key, what, begin);
    return auth::same_in_constant_time(std::as_bytes(std::span{nonce.substr(begin.size())}),
                                       std::as_bytes(std::span{mac}));
  };
  return made_with(rules.key) || std::any_of(rules.older.begin(), rules.older.end(), made_with);
}

} // namespace

std::string link_statement(profile_id to) { return std::string{link_begin} + std::to_string(to.value) + "."; }

std::string export_statement(profile_id whose) {
  return std::string{export_begin} + "the managed wallet of profile " + std::to_string(whose.value) + ".";
}

std::string key_statement(std::string_view name, std::string_view until) {
  return "Make the API key " + std::string{name} + " until " + std::string{until} + ".";
}

bool speaks_of_a_key(std::string_view statement) {
  const auto text = small(statement);
  const auto is_one = [&](std::string_view other) { return text == small(other); };
  if (is_one(sign_in_statement) || is_one(console_statement) || is_one(profile_statement)
      || text.starts_with(small(link_begin)) || text.starts_with(small(export_begin)))
    return false;
  bool key = false, making = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto end = static_cast<std::size_t>(
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_letter) - text.begin());
    const auto word = std::string_view{text}.substr(at, end - at);
    key = key || std::find(words_for_keys.begin(), words_for_keys.end(), word) != words_for_keys.end();
    making = making || std::find(words_for_making.begin(), words_for_making.end(), word) != words_for_making.end();
    at = end + 1;
  }
  return key && making;
}

std::optional<refusal> other_statement(const unsigned_claim& claim, std::string_view wanted) {
  if (claim.statement == wanted)
    return std::nullopt;
  return refusal{refusal_code::invalid_message, "the statement of the message must be '" + std::string{wanted} + "'"};
}

std::optional<refusal> other_purpose(const unsigned_claim& claim, const signing_purpose& wanted,
                                     const auth::token_rules& tokens, timestamp now) {
  if (auto why = other_statement(claim, wanted.statement))
    return why;
  if (!good_nonce(tokens, wanted.nonce, claim.nonce.nonce, now))
    return refusal{refusal_code::invalid_message,
                   "the nonce must be a fresh one from GET " + std::string{wanted.nonces_from}};
  return std::nullopt;
}

outcome<unsigned_claim> read_signed(const call& c, const auth::siwe_expectation& expected,
                                    const auth::token_rules& tokens, const signing_purpose& wanted) {
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
  if (claim)
    if (auto why = other_purpose(*claim, wanted, tokens, c.now()))
      return *std::move(why);
  return claim;
}

outcome<unsigned_claim> read_claim(std::string_view message, std::string_view signature,
                                   const auth::siwe_expectation& expected, timestamp now) {
  auto read = auth::parse_siwe_message(message);
  if (!read)
    return refusal{refusal_code::invalid_message,
                   "message is not a sign-in message (EIP-4361): " + auth::explain(read.why())};
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

refusal nobody_with(const address& account) {
  return {refusal_code::forbidden, "no profile is linked to " + auth::checksummed_text(account)};
}

std::string make_nonce(const auth::token_rules& rules, nonce_for what, timestamp now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  auto out = std::to_string(seconds);
  out.insert(0, time_digits - std::min(time_digits, out.size()), '0');
  out += auth::random_hex(random_digits / 2);
  return out + mac_of(rules.key, what, out);
}

bool is_own_nonce(const auth::token_rules& rules, std::string_view nonce) {
  return made_for(rules, nonce_for::sign_in, nonce) || made_for(rules, nonce_for::console, nonce)
         || made_for(rules, nonce_for::wallet_export, nonce);
}

bool good_nonce(const auth::token_rules& rules, nonce_for what, std::string_view nonce, timestamp now) {
  if (!made_for(rules, what, nonce))
    return false;
  std::int64_t seconds = 0;
  std::from_chars(nonce.data(), nonce.data() + time_digits, seconds);
  const timestamp made{std::chrono::seconds{seconds}};
  return made <= now + rules.clock_skew && now < made + nonce_lifetime;
}

} // namespace credence::http
