#include "http/callers/provider_bearers.hpp"

#include "http/outside/provider_keys.hpp"

#include <utility>

namespace credence::http {

/// A token that holds; nothing for another.
std::optional<provider_bearers::entry> provider_bearers::check(std::string_view token,
                                                               std::chrono::sys_seconds now) const {
  const auto keys = provider_.keys->current();
  const auto claims = auth::verify_provider_token(provider_.rules, *keys, token, now);
  if (!claims) {
    if (const auto id = auth::key_id_of(token); id && !keys->holds(*id))
      provider_.keys->look_again();
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

} // namespace credence::http
