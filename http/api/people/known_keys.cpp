#include "http/api/people/known_keys.hpp"

namespace credence::http {

const people::found_person* known_keys::find(const people::lookup_key& key, steady_time now) const {
  const auto at = by_key_.find(key);
  if (at == by_key_.end() || now - at->second->found_at > age_max)
    return nullptr;
  return &at->second->found;
}

void known_keys::take(const people::lookup_key& key, const people::found_person& found, steady_time now) {
  if (const auto at = by_key_.find(key); at != by_key_.end()) {
    at->second->found = found;
    at->second->found_at = now;
    entries_.splice(entries_.begin(), entries_, at->second);
    return;
  }
  if (by_key_.size() >= entries_max_ && !entries_.empty()) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key, found, now});
  by_key_.emplace(key, entries_.begin());
}

} // namespace credence::http
