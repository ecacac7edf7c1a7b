#include "http/token_authenticator.hpp"

namespace credence::http {

namespace {

std::chrono::sys_seconds now_in_seconds() { return std::chrono::floor<std::chrono::seconds>(system_now()); }

refusal not_enabled(profile_id who) {
  return {refusal_code::forbidden, "API keys are not enabled for profile " + std::to_string(who.value)};
}

/// Whether a credential shown as this kind is one: a key is no session, whoever shows it.
bool fits(credential_kind by, const profile::credential_slot& slot) {
  return slot.kind()
         == (by == credential_kind::api_key ? profile::credential_kind::api_key : profile::credential_kind::session);
}

} // namespace

outcome<found_caller> token_authenticator::find(credential_kind by, std::string_view token) {
  if (by == credential_kind::access_token)
    return find_bearer(token);
  if (token.size() > auth::token_length_max)
    return auth::bad_token();
  const auto hash = auth::sha256(token);
  auto* slot = others_.find(hash);
  if (!slot || !fits(by, *slot))
    return check_signature(by, token, hash);
  const auto now = system_now();
  if (!slot->holds(now)) {
    others_.forget(hash);
    return auth::bad_token();
  }
  if (!slot->allowed())
    return by == credential_kind::api_key ? not_enabled(slot->owner()) : auth::bad_token();
  found_caller out{{slot->owner(), false, by}, std::nullopt, nullptr};
  if (by == credential_kind::api_key && slot->use(now)) {
    out.noted_use = &slot->id();
    // Once a minute its owner is asked again: what an operator has changed is seen then.
    out.to_check = profile::check_credential{slot->owner(), profile::credential_kind::api_key, slot->id(), hash};
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
  return found_caller{bearer(found->profile, found->admin)};
}

principal token_authenticator::bearer(profile_id who, bool admin) const {
  return {who, admin || how_.admins->contains(who), credential_kind::access_token};
}

outcome<found_caller> token_authenticator::find_outside(std::string_view token) {
  const auto found = outside_->find(token, now_in_seconds(), steady_clock::now());
  if (!found)
    return found.why();
  found_caller out;
  if (const auto who = found->profile)
    out.who = bearer(*who, false);
  else
    out.unknown = outsider{found->key, found->has_no_profile};
  return out;
}

std::optional<principal> token_authenticator::learn(std::string_view token, const people::found_person& found) {
  if (outside_)
    outside_->learn(token, found, steady_clock::now());
  return found.profile ? std::optional{bearer(*found.profile, false)} : std::nullopt;
}

/// A forgery ends here, at the cost of one MAC.
outcome<found_caller> token_authenticator::check_signature(credential_kind by, std::string_view token,
                                                           const auth::digest& hash) {
  const bool key = by == credential_kind::api_key;
  if (key && !token.starts_with(how_.key_prefix))
    return auth::bad_token();
  const auto claims = auth::verify_token(how_.tokens, key ? token.substr(how_.key_prefix.size()) : token,
                                         key ? auth::token_kind::api_key : auth::token_kind::session, now_in_seconds());
  if (!claims)
    return claims.why();
  profile::check_credential to_check{claims->profile,
                                     key ? profile::credential_kind::api_key : profile::credential_kind::session,
                                     claims->id, std::nullopt};
  if (key)
    to_check.token_hash = hash;
  return found_caller{{claims->profile, false, by}, std::move(to_check), nullptr};
}

void token_authenticator::learn(credential_kind, std::string_view token, std::shared_ptr<profile::credential_slot> slot) {
  others_.take(auth::sha256(token), std::move(slot));
}

bool token_authenticator::knows(credential_kind by, std::string_view token) const {
  if (by == credential_kind::access_token)
    return bearers_.knows(token) || (outside_ && outside_->knows(token));
  const auto* slot = others_.find(auth::sha256(token));
  return slot && fits(by, *slot);
}

} // namespace credence::http
