#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "actors/domain/time.hpp"
#include "actors/profile/credential_slot.hpp"
#include "auth/digest.hpp"
#include "http/callers/client_address.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>

namespace credence::http {

/// API keys, sessions and access tokens that can end before their time, which were found good, by the SHA-256 of their
/// token. For one thread. Whether one still holds is in its slot, which its owner ends at once.
class credential_cache {
public:
  explicit credential_cache(std::size_t most) : most_(most) {}

  struct entry {
    std::shared_ptr<profile::credential_slot> slot;
    std::optional<address_ranges> only_from; // of a key that was narrowed to networks
    timestamp until = timestamp::max();      // the end of the token itself, which may come before that of what it names
  };

  /// Null for one that is not known.
  const entry* find(const auth::digest& token) const {
    const auto found = known_.find(token);
    return found == known_.end() ? nullptr : &found->second;
  }
  void take(const auth::digest& token, std::shared_ptr<profile::credential_slot> slot,
            timestamp until = timestamp::max()) {
    if (known_.size() >= most_)
      make_room();
    entry fresh{std::move(slot), std::nullopt, until};
    if (const auto& networks = fresh.slot->bounds().networks; !networks.empty())
      fresh.only_from.emplace(networks);
    known_.insert_or_assign(token, std::move(fresh));
  }
  void forget(const auth::digest& token) { known_.erase(token); }

private:
  void make_room() {
    auto surplus = most_ / 8 + 1;
    for (auto each = known_.begin(); surplus > 0 && each != known_.end(); --surplus)
      each = known_.erase(each);
  }

  std::size_t most_;
  std::unordered_map<auth::digest, entry, keyed_hash> known_;
};

} // namespace credence::http
