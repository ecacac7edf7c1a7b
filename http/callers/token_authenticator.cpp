#include "http/callers/token_authenticator.hpp"

#include "http/outside/provider_keys.hpp"

#include <cstring>
#include <utility>

namespace credence::http {

/// A token that holds; nothing for another.
std::optional<provider_bearers::entry> provider_bearers::check(std::string_view token,
                                                               std::chrono::sys_seconds now) const {
  const auto keys = provider_.keys->current();
  const auto claims = auth::verify_provider_token(provider_.rules, *keys, token, now);
  if (!claims) {
    if (const auto id = auth::key_id_of(token); id && !keys->holds(*id))
      provider_.keys->refresh();
    return std::nullopt;
  }
  auto key = provider_.userkey.fill(claims->user);
  if (!key)
    return std::nullopt;
  return entry{{*std::move(key), std::nullopt, false, claims->issued_at}, claims->not_before, claims->expires_at, {}};
}

outcome<provider_bearers::bearer> provider_bearers::find(std::string_view token, std::chrono::sys_seconds now,
                                                         steady_time steady) {
  if (token.size() > auth::token_length_max)
    return auth::bad_token();
  const auto hash = auth::sha256(token);
  const auto found = known_.find(hash);
  if (found != known_.end() && steady < found->second.fresh_until && found->second.not_before <= now
      && now < found->second.expires_at)
    return found->second.who;
  auto fresh = check(token, now);
  if (!fresh) {
    known_.erase(hash);
    return auth::bad_token();
  }
  fresh->fresh_until = steady + known_for;
  if (found == known_.end() && known_.size() >= most_)
    make_room(now);
  return known_.insert_or_assign(hash, *std::move(fresh)).first->second.who;
}

void provider_bearers::learn(std::string_view token, const people::found_person& found, steady_time steady) {
  const auto known = known_.find(auth::sha256(token));
  if (known == known_.end())
    return; // it had to make room meanwhile
  const auto profile = found.unsettled ? std::nullopt : found.profile;
  known->second.who.profile = profile;
  known->second.who.has_no_profile = !profile;
  known->second.who.unsettled = found.profile ? found.unsettled : std::nullopt;
  known->second.fresh_until = steady + (profile ? known_for : unknown_for);
}

bool provider_bearers::knows(std::string_view token) const {
  return token.size() <= auth::token_length_max && known_.contains(auth::sha256(token));
}

/// Drops what has expired; when nothing has, a part of the rest.
void provider_bearers::make_room(std::chrono::sys_seconds now) {
  std::erase_if(known_, [now](const auto& each) { return each.second.expires_at <= now; });
  auto surplus = known_.size() >= most_ ? most_ / 8 + 1 : 0;
  for (auto each = known_.begin(); surplus > 0 && each != known_.end(); --surplus)
    each = known_.erase(each);
}

namespace {

using namespace std::chrono_literals;

// In so much use its owner is asked again: what an operator or another program has changed is seen then.
constexpr timestamp::duration asked_again_every = 60s;
constexpr timestamp::duration revocations_asked_for_every = 2s;

refusal not_enabled(profile_id who) {
  return {refusal_code::forbidden, "API keys are not enabled for profile " + std::to_string(who.value)};
}

/// Whether a credential shown as this kind is one: a key is no session, and a partner's session is none of our own,
/// whoever shows it.
bool fits(credential_kind by, const profile::credential_slot& slot) {
  if (by == credential_kind::api_key)
    return slot.kind() == profile::credential_kind::api_key;
  return slot.kind() == profile::credential_kind::session && slot.partner().empty() == (by != credential_kind::partner);
}

auth::token_kind token_of(credential_kind by) {
  switch (by) {
    case credential_kind::access_token: return auth::token_kind::access;
    case credential_kind::api_key: return auth::token_kind::api_key;
    case credential_kind::session: return auth::token_kind::session;
    case credential_kind::partner: return auth::token_kind::partner;
  }
  return auth::token_kind::access;
}

} // namespace

outcome<found_caller> token_authenticator::find(credential_kind by, std::string_view token) {
  if (by == credential_kind::access_token)
    return find_bearer(token);
  if (token.size() > auth::token_length_max)
    return auth::bad_token();
  const auto hash = auth::sha256(token);
  const auto* known = others_.find(hash);
  if (!known || !fits(by, *known->slot))
    return check_signature(by, token, hash);
  const auto now = how_.now();
  const auto& slot = known->slot;
  if (now >= known->until || !slot->holds(now)) {
    others_.forget(hash);
    return auth::bad_token();
  }
  if (!slot->allowed())
    return by == credential_kind::api_key ? not_enabled(slot->owner()) : auth::bad_token();
  found_caller out{{slot->owner(), false, by, slot}};
  if (by == credential_kind::api_key && slot->use(now))
    out.noted_use = &slot->id();
  if (known->only_from)
    out.only_from = &*known->only_from;
  if (slot->due(now, asked_again_every)) {
    out.to_check = profile::check_credential{slot->owner(), slot->kind(), slot->id(), std::nullopt};
    if (by == credential_kind::api_key)
      out.to_check->token_hash = hash;
  }
  return out;
}

outcome<found_caller> token_authenticator::find_bearer(std::string_view token) {
  if (token.starts_with(how_.key_prefix))
    return refusal{refusal_code::unauthenticated, "an API key is not a bearer token; send it as X-Service-Api-Key"};
  if (outside_ && auth::names_es256(token))
    return find_outside(token);
  const auto found = bearers_.verify(token, now_in_seconds());
  if (!found)
    return found.why();
  auto out = found->session.empty() && found->id.empty()
               ? outcome<found_caller>{found_caller{bearer(found->profile, found->admin)}}
               : find_ending(*found, token);
  if (out) {
    out->who.admin = out->who.admin && found->lives_hours;
    out->who.issued_at = found->issued_at;
  }
  return out;
}

/// An access token that ends with its session, or that an operator may have revoked.
outcome<found_caller> token_authenticator::find_ending(const auth::verified_token& token, std::string_view text) {
  found_caller out{bearer(token.profile, token.admin)};
  const bool of_session = !token.session.empty();
  const auto kind = of_session ? profile::credential_kind::session : profile::credential_kind::access_token;
  const profile::check_credential question{token.profile, kind, of_session ? token.session : token.id, std::nullopt,
                                           token.expires_at};
  const auto hash = auth::sha256(text);
  const auto* known = endings_.find(hash);
  if (!known) {
    out.to_check = question;
    return out;
  }
  const auto now = how_.now();
  if (!known->slot->holds(now)) {
    endings_.forget(hash);
    return auth::bad_token();
  }
  if (!known->slot->allowed())
    return auth::bad_token();
  if (known->slot->due(now, of_session ? asked_again_every : revocations_asked_for_every))
    out.to_check = question;
  out.who.credential = known->slot;
  return out;
}

principal token_authenticator::bearer(profile_id who, bool admin) const {
  return {who, admin || how_.admins->contains(who), credential_kind::access_token};
}

namespace {

/// The wallet that a provider's token speaks for, if it is one.
std::optional<address> wallet_of(const people::lookup_key& key) {
  if (key.how != people::lookup_key::form::address || key.text.size() != sizeof(address::bytes))
    return std::nullopt;
  address out;
  std::memcpy(out.bytes.data(), key.text.data(), key.text.size());
  return out;
}

} // namespace

outcome<found_caller> token_authenticator::find_outside(std::string_view token) {
  const auto found = outside_->find(token, now_in_seconds(), steady_clock::now());
  if (!found)
    return found.why();
  found_caller out;
  if (const auto who = found->profile) {
    out.who = bearer(*who, false);
    // The provider says how long its tokens live; an admin's counts as one no longer than our own.
    out.who.admin =
      out.who.admin && found->issued_at && now_in_seconds() < *found->issued_at + auth::admin_token_lifetime_max;
    out.who.wallet = wallet_of(found->key);
  } else
    out.unknown = outsider{found->key, found->has_no_profile, found->unsettled};
  return out;
}

std::optional<principal> token_authenticator::learn(std::string_view token, const people::found_person& found) {
  if (!outside_)
    return std::nullopt;
  outside_->learn(token, found, steady_clock::now());
  const auto known = found.profile ? find_outside(token) : auth::bad_token();
  return known && !known->unknown ? std::optional{known->who} : std::nullopt;
}

/// A forgery ends here, at the cost of one MAC.
outcome<found_caller> token_authenticator::check_signature(credential_kind by, std::string_view token,
                                                           const auth::digest& hash) {
  const bool key = by == credential_kind::api_key;
  if (key && !token.starts_with(how_.key_prefix))
    return auth::bad_token();
  const auto claims =
    auth::verify_token(how_.tokens, key ? token.substr(how_.key_prefix.size()) : token, token_of(by), now_in_seconds());
  if (!claims)
    return claims.why();
  profile::check_credential to_check{claims->profile,
                                     key ? profile::credential_kind::api_key : profile::credential_kind::session,
                                     claims->id, std::nullopt};
  if (key)
    to_check.token_hash = hash;
  return found_caller{{claims->profile, false, by}, std::move(to_check), nullptr};
}

void token_authenticator::learn(credential_kind by, std::string_view token,
                                std::shared_ptr<profile::credential_slot> slot) {
  const auto hash = auth::sha256(token);
  if (by == credential_kind::access_token)
    return endings_.take(hash, std::move(slot)); // `bearers_` knows when it ends
  if (by == credential_kind::api_key)
    return others_.take(hash, std::move(slot));
  if (const auto says = auth::verify_token(how_.tokens, token, token_of(by), now_in_seconds()))
    others_.take(hash, std::move(slot), says->expires_at);
}

bool token_authenticator::knows(credential_kind by, std::string_view token) const {
  if (by == credential_kind::access_token)
    return bearers_.knows(token) || (outside_ && outside_->knows(token));
  const auto* known = others_.find(auth::sha256(token));
  return known && fits(by, *known->slot);
}

} // namespace credence::http
