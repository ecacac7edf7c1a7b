#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace credence::profile {

enum class credential_kind : std::uint8_t { api_key, session };

/// What everybody who accepts a credential looks at with every request, without asking
/// its owner. The profile ends it before it answers that it is revoked.
class credential_slot {
public:
  credential_slot(credential_kind kind, std::string id, profile_id owner, timestamp expires_at)
    : kind_(kind), id_(std::move(id)), owner_(owner), expires_at_(expires_at) {}

  credential_kind kind() const noexcept { return kind_; }
  const std::string& id() const noexcept { return id_; }
  profile_id owner() const noexcept { return owner_; }
  timestamp expires_at() const noexcept { return expires_at_; }

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

  /// Notes a use; true for the first one of a minute, which is the one to be stored.
  bool use(timestamp now) noexcept {
    const auto minute = std::chrono::floor<std::chrono::minutes>(now).time_since_epoch().count();
    auto before = used_minute_.load(std::memory_order_relaxed);
    return minute > before && used_minute_.compare_exchange_strong(before, minute, std::memory_order_relaxed);
  }
  /// The minute of its last use by this process; 1970 when there was none.
  timestamp used_at() const noexcept {
    return timestamp{std::chrono::minutes{used_minute_.load(std::memory_order_relaxed)}};
  }

private:
  const credential_kind kind_;
  const std::string id_;
  const profile_id owner_;
  const timestamp expires_at_;
  std::atomic<bool> ended_{false};
  std::atomic<bool> allowed_{true};
  std::atomic<std::int64_t> used_minute_{0};
};

/// The slots in use, so that a profile that is loaded again finds those which others
/// hold already. For any thread; used when a profile loads its credentials.
class credential_registry {
public:
  /// The slot of a credential: the one that is there, or a new one.
  std::shared_ptr<credential_slot> intern(credential_kind kind, const std::string& id, profile_id owner,
                                          timestamp expires_at) {
    const std::lock_guard lock{mutex_};
    auto& known = slots_[id];
    if (auto found = known.lock())
      return found;
    auto fresh = std::make_shared<credential_slot>(kind, id, owner, expires_at);
    known = fresh;
    if (slots_.size() > 2 * kept_ + 1024) {
      std::erase_if(slots_, [](const auto& each) { return each.second.expired(); });
      kept_ = slots_.size();
    }
    return fresh;
  }

private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<credential_slot>> slots_;
  std::size_t kept_ = 0;
};

} // namespace credence::profile
