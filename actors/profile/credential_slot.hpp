#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/scopes.hpp"
#include "actors/domain/time.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::profile {

enum class credential_kind : std::uint8_t {
  api_key,
  session,
  access_token, // one that has an id, so that it can be revoked
};

/// What an API key was narrowed to when it was made; empty: the key may do what its profile may.
struct key_bounds {
  std::optional<scope_set> scopes;
  std::vector<std::string> networks; // addresses and networks such as 10.0.0.0/8; empty: from anywhere
};

/// What everybody who accepts a credential looks at with every request, without asking
/// its owner. The profile ends it before it answers that it is revoked.
class credential_slot {
public:
  credential_slot(credential_kind kind, std::string id, profile_id owner, timestamp expires_at, key_bounds bounds = {},
                  std::optional<address> signer = {}, std::string partner = {})
    : kind_(kind), id_(std::move(id)), owner_(owner), expires_at_(expires_at), bounds_(std::move(bounds)),
      signer_(signer), partner_(std::move(partner)) {}

  credential_kind kind() const noexcept { return kind_; }
  const std::string& id() const noexcept { return id_; }
  profile_id owner() const noexcept { return owner_; }
  timestamp expires_at() const noexcept { return expires_at_; }
  const key_bounds& bounds() const noexcept { return bounds_; }
  /// The wallet that made it, where one did.
  const std::optional<address>& signer() const noexcept { return signer_; }
  /// The origin of the partner whose pages alone a session is for; empty for every other credential.
  const std::string& partner() const noexcept { return partner_; }

  /// Whether it holds. One that was seen to expire stays so, whatever the clock does then.
  bool holds(timestamp now) noexcept {
    if (ended_.load(std::memory_order_acquire))
      return false;
    if (now < expires_at_)
      return true;
    end();
    return false;
  }
  void end() noexcept { ended_.store(true, std::memory_order_release); }

  /// Whether the profile may use API keys at all.
  bool allowed() const noexcept { return allowed_.load(std::memory_order_relaxed); }
  void allow(bool yes) noexcept { allowed_.store(yes, std::memory_order_relaxed); }

  /// Whether its owner is to be asked again, as what an operator or another program has changed since
  /// is seen then; true once in `every` of use.
  bool due(timestamp now, timestamp::duration every) noexcept {
    const auto at = now.time_since_epoch().count();
    auto before = checked_at_.load(std::memory_order_relaxed);
    return (at < before || at - before >= every.count())
           && checked_at_.compare_exchange_strong(before, at, std::memory_order_relaxed);
  }

  /// What is known of it may be out of date: its owner is asked with the next use.
  void doubt() noexcept { checked_at_.store(0, std::memory_order_relaxed); }

  /// Notes a use; true when the last one noted is a minute ago or more: this one is to be stored.
  bool use(timestamp now) noexcept {
    const auto at = now.time_since_epoch().count();
    auto before = used_at_.load(std::memory_order_relaxed);
    return now - timestamp{timestamp::duration{before}} >= noted_every
           && used_at_.compare_exchange_strong(before, at, std::memory_order_relaxed);
  }
  /// The last use that was noted, in this process; 1970 when there was none.
  timestamp used_at() const noexcept {
    return timestamp{timestamp::duration{used_at_.load(std::memory_order_relaxed)}};
  }

private:
  static constexpr std::chrono::seconds noted_every{60};

  const credential_kind kind_;
  const std::string id_;
  const profile_id owner_;
  const timestamp expires_at_;
  const key_bounds bounds_;
  const std::optional<address> signer_;
  const std::string partner_;
  std::atomic<bool> ended_{false};
  std::atomic<bool> allowed_{true};
  std::atomic<timestamp::rep> used_at_{0};
  std::atomic<timestamp::rep> checked_at_{0};
};

/// The slots in use, so that a profile that is loaded again finds those which others
/// hold already. For any thread; used when a profile loads its credentials.
class credential_registry {
public:
  /// The slot of a credential: the one that is there, or a new one.
  std::shared_ptr<credential_slot> intern(credential_kind kind, const std::string& id, profile_id owner,
                                          timestamp expires_at, const key_bounds& bounds = {},
                                          const std::optional<address>& signer = {}, const std::string& partner = {}) {
    const std::lock_guard lock{mutex_};
    auto& of_owner = slots_[owner.value];
    for (const auto& each : of_owner)
      if (auto found = each.lock(); found && found->id() == id)
        return found;
    std::erase_if(of_owner, [](const auto& each) { return each.expired(); });
    auto fresh = std::make_shared<credential_slot>(kind, id, owner, expires_at, bounds, signer, partner);
    of_owner.push_back(fresh);
    if (slots_.size() > 2 * kept_ + 1024) {
      std::erase_if(slots_, [](const auto& each) {
        return std::all_of(each.second.begin(), each.second.end(), [](const auto& slot) { return slot.expired(); });
      });
      kept_ = slots_.size();
    }
    return fresh;
  }

  /// Ends the credential, if anybody holds it.
  void end(profile_id owner, const std::string& id) {
    const std::lock_guard lock{mutex_};
    if (const auto found = slots_.find(owner.value); found != slots_.end())
      for (const auto& each : found->second)
        if (const auto slot = each.lock(); slot && slot->id() == id)
          slot->end();
  }

  /// Has the owner asked about each credential that is in use, before it is accepted again.
  void doubt(profile_id owner) {
    const std::lock_guard lock{mutex_};
    if (const auto found = slots_.find(owner.value); found != slots_.end())
      for (const auto& each : found->second)
        if (const auto slot = each.lock())
          slot->doubt();
  }

  /// Ends every key and session of `owner` but those in `kept`: what an owner that has just been
  /// loaded does not know was ended by a change whose outcome nobody heard.
  void end_others(profile_id owner, const std::vector<std::shared_ptr<credential_slot>>& kept) {
    const std::lock_guard lock{mutex_};
    const auto found = slots_.find(owner.value);
    if (found == slots_.end())
      return;
    for (const auto& each : found->second)
      if (const auto slot = each.lock(); slot && slot->kind() != credential_kind::access_token
                                         && std::find(kept.begin(), kept.end(), slot) == kept.end())
        slot->end();
  }

private:
  std::mutex mutex_;
  std::unordered_map<std::int32_t, std::vector<std::weak_ptr<credential_slot>>> slots_; // by owner
  std::size_t kept_ = 0;
};

} // namespace credence::profile
