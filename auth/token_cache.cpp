#include "auth/token_cache.hpp"

namespace credence::auth {

outcome<verified_token> token_cache::verify(std::string_view token, std::chrono::sys_seconds now) {
  if (token.size() > token_length_max)
    return bad_token();
  const auto key = sha256(token);
  if (const auto found = known_.find(key); found != known_.end()) {
    if (found->second.not_before <= now && now < found->second.expires_at)
      return found->second;
    known_.erase(found);
    return bad_token();
  }
  auto fresh = verify_access_token(rules_, token, now);
  if (fresh) {
    if (known_.size() >= most_)
      make_room(now);
    known_.emplace(key, *fresh);
  }
  return fresh;
}

/// Drops what has expired; when nothing has, a part of the rest. An entry that was
/// dropped costs one more check, nothing else.
void token_cache::make_room(std::chrono::sys_seconds now) {
  std::erase_if(known_, [now](const auto& each) { return each.second.expires_at <= now; });
  auto surplus = known_.size() >= most_ ? most_ / 8 + 1 : 0;
  for (auto each = known_.begin(); surplus > 0 && each != known_.end(); --surplus)
    each = known_.erase(each);
}

} // namespace credence::auth
