#include "actors/profile/credential_types.hpp"
#include "actors/profile/profile_actor.hpp"
#include "auth/address.hpp"
#include "auth/digest.hpp"
#include "config/setting_checks.hpp"
#include "http/api/keys/operations.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/sessions.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"

#include <string>
#include <utility>
#include <vector>

namespace credence::http {

// API keys as JSON.

namespace {

/// Of a key that was narrowed; of others there is nothing to tell.
void encode_bounds(json_writer& to, const profile::key_bounds& bounds) {
  if (bounds.scopes) {
    to.array("scopes", [&] {
      for (std::size_t i = 1; i < scope_names.size(); ++i)
        if (bounds.scopes->has(static_cast<scope>(i)))
          to.value(scope_names[i]);
    });
  }
  if (!bounds.networks.empty()) {
    to.array("allowedNetworks", bounds.networks, [&](const auto& each) { to.value(each); });
  }
}

} // namespace

/// `{id, token, name, expiresAt, scopes?, allowedNetworks?}`: a key as it is told once, when it is made.
static void encode_members(json_writer& to, const profile::api_key& key, const std::string& token) {
  to.field("id", key.id);
  to.field("token", token);
  to.field("name", key.name);
  to.field("expiresAt", key.expires_at);
  encode_bounds(to, key.bounds);
}

/// The keys of a profile, without their tokens.
static void encode(json_writer& to, const std::vector<profile::api_key>& keys) {
  to.objects(keys, [&](const auto& each) {
    to.field("address", auth::checksummed_text(each.signer));
    to.field("createdAt", each.created_at);
    to.field("expiresAt", each.expires_at);
    to.field("id", each.id);
    to.field("lastUsedAt", each.last_used_at);
    to.field("name", each.name);
    to.field("profileId", each.profile);
    encode_bounds(to, each.bounds);
  });
}

namespace v2 {

namespace {

/// A key on its way: what was asked for, then whose it is.
struct key_order {
  unsigned_claim claim;
  profile::create_key question;
};

/// When a key ends. A client whose clock is ahead by no more than `clock_skew`, as its message may be, gets the longest
/// life where it asks for that.
timestamp read_expiry(json_body& body, timestamp now, std::chrono::seconds clock_skew) {
  const auto text = body.text("expiresAt");
  if (!text)
    return now + std::chrono::days{limits::key_days_default};
  const auto at = parse_moment(*text, day_edge::end);
  const auto latest = now + std::chrono::days{limits::key_days_max};
  if (!at)
    body.issue("expiresAt must be an ISO 8601 datetime such as 2027-01-31T12:00:00Z, not " + shown(*text));
  else if (*at <= now || *at > latest + clock_skew)
    body.issue("expiresAt must be in the future and at most " + std::to_string(limits::key_days_max) + " days away");
  return std::min(at.value_or(now), latest);
}

profile::key_bounds read_bounds(json_body& body) {
  profile::key_bounds out;
  const auto add_scope = [&](std::string_view name) {
    if (const auto known = scope_named(name))
      out.scopes->add(*known);
    else
      body.issue("scopes may hold read, vote, tip, trade, keys and record, not " + shown(name));
  };
  if (const auto scopes = body.texts("scopes", limits::key_scopes_max)) {
    out.scopes.emplace();
    if (scopes->empty())
      body.issue("scopes must name at least one; leave it out for all");
    for (const auto& each : *scopes)
      add_scope(each);
  }
  if (const auto networks = body.texts("allowedNetworks", limits::key_networks_max)) {
    if (networks->empty())
      body.issue("allowedNetworks must name at least one; leave it out for any");
    for (const auto& each : *networks) {
      out.networks.emplace_back(each);
      if (!settings::is_network(out.networks.back()))
        body.issue("allowedNetworks may hold addresses and networks such as 203.0.113.7 or 2001:db8::/32, not "
                   + shown(each));
    }
  }
  return out;
}

/// Why a message is not one to make this key, if so. One that names a key and its end makes no other.
std::optional<refusal> not_for_this_key(const std::string& statement, std::string_view name, std::string_view until) {
  const auto wanted = key_statement(name, until);
  if (statement == wanted)
    return std::nullopt;
  if (statement.starts_with("Make the API key ") && statement.find(" until ") != std::string::npos)
    return refusal{refusal_code::invalid_message,
                   "the message makes another key than the body says; its statement must be '" + wanted + "'"};
  if (speaks_of_a_key(statement))
    return std::nullopt;
  return refusal{refusal_code::invalid_message,
                 "the statement of the message must say that a key is made, such as '" + wanted + "'"};
}

/// Everything that can be told without looking at the signature, the cheapest first.
outcome<key_order> read_order(call& c) {
  auto& body = c.json();
  const auto now = std::chrono::floor<std::chrono::milliseconds>(c.now()); // as answers show it
  const auto account = required_text(body, "address");
  const auto message = required_text(body, "message");
  const auto signature = required_text(body, "signature");
  key_order out;
  auto& key = out.question.key;
  key.name = required_text(body, "name");
  if (const auto length = characters(key.name); body.good() && (length < 1 || length > limits::key_name_length_max))
    body.issue("name must have 1 to " + std::to_string(limits::key_name_length_max) + " characters, not "
               + std::to_string(length));
  key.created_at = now;
  key.expires_at = read_expiry(body, now, c.identity().for_keys.clock_skew);
  key.bounds = read_bounds(body);
  const auto signer = auth::parse_checksummed_address(account);
  if (body.good() && !signer)
    body.issue("address must be 0x and 40 hexadecimal digits with the checksum of EIP-55, not " + shown(account));
  if (!body.good())
    return body.why();
  auto claim = read_claim(message, signature, c.identity().for_keys, c.now());
  if (!claim)
    return claim.why();
  // Who was made to sign in somewhere has not agreed to a key that lives for months.
  if (is_own_nonce(c.identity().tokens, claim->nonce.nonce))
    return refusal{refusal_code::invalid_message, "the nonce is one of this service's for something else; sign a "
                                                  "message of its own, with another nonce, for an API key"};
  if (const auto why = not_for_this_key(claim->statement.value_or(""), key.name, body.text("expiresAt").value_or("")))
    return *why;
  if (!(claim->account == *signer))
    return refusal{refusal_code::invalid_message, "the message is for another address than the body's"};
  out.claim = *std::move(claim);
  key.signer = *signer;
  out.question.by = out.claim.nonce;
  return out;
}

/// Makes the key and the token that tells it.
void create(call& c, key_order& order, profile_id owner) {
  auto& key = order.question.key;
  key.profile = owner;
  const auto& with = c.identity();
  key.id = auth::random_uuid();
  auth::token_claims claims;
  claims.kind = auth::token_kind::api_key;
  claims.profile = key.profile;
  claims.id = key.id;
  claims.issued_at = std::chrono::floor<std::chrono::seconds>(key.created_at);
  claims.expires_at = std::chrono::ceil<std::chrono::seconds>(key.expires_at);
  auto token = with.key_prefix + auth::mint_token(with.tokens, claims);
  order.question.token_hash = auth::sha256(token);
  c.ask(c.to().profiles, std::move(order.question), [token = std::move(token)](call& later, profile::api_key& made) {
    json_writer to{later.out()};
    encode(to, made, token);
    later.no_store();
    later.drop_context(); // a token is told once and kept nowhere
    later.reply();
  });
}

void refuse_made_before(call& c, const idempotency::found_record& done) {
  c.refuse(
    {refusal_code::answer_not_kept, "this request made the API key " + done.effect
                                      + "; its token was told once and is not kept: revoke it and make another"});
}

} // namespace

void create_api_key(call& c) {
  auto order = c.value_of(read_order(c));
  for_owner(c, order, daily_act::keys, &refuse_made_before, &create);
}

void list_api_keys(call& c) {
  c.ask<profile::list_keys>(c.to().profiles, {c.caller()->profile},
                            [](call& later, std::vector<profile::api_key>& keys) { reply_with(later, keys); });
}

void revoke_api_key(call& c) {
  const auto id = c.path_part("id");
  if (!is_uuid(id)) // no key has such an id
    return c.refuse({refusal_code::key_not_found, "you have no API key " + shown(id)});
  c.ask<profile::revoke_key>(c.to().profiles, {c.caller()->profile, std::string{id}},
                             [](call& later, profile::done&) { reply_ok(later); });
}

void replay_revoke_api_key(call& c, const idempotency::found_record&) { reply_ok(c); }

} // namespace v2

} // namespace credence::http
