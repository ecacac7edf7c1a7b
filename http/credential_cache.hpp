#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "actors/profile/credential_slot.hpp"
#include "auth/digest.hpp"

#include <cstddef>
#include <memory>
#include <unordered_map>

namespace credence::http {

/// API keys and sessions that were found good, by the SHA-256 of their token. For one
/// thread. Whether one still holds is in its slot, which its owner ends at once.
class credential_cache {
public:
  explicit credential_cache(std::size_t most) : most_(most) {}

  /// Null for one that is not known.
  profile::credential_slot* find(const auth::digest& token) const {
    const auto found = known_.find(token);
    return found == known_.end() ? nullptr : found->second.get();
  }
  void take(const auth::digest& token, std::shared_ptr<profile::credential_slot> slot) {
    if (known_.size() >= most_)
      make_room();
    known_.insert_or_assign(token, std::move(slot));
  }
  void forget(const auth::digest& token) { known_.erase(token); }

private:
  void make_room() {
    auto surplus = most_ / 8 + 1;
    for (auto each = known_.begin(); surplus > 0 && each != known_.end(); --surplus)
      each = known_.erase(each);
  }

  std::size_t most_;
  std::unordered_map<auth::digest, std::shared_ptr<profile::credential_slot>, keyed_hash> known_;
};

} // namespace credence::http
