#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "http/callers/client_address.hpp"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace credence::http {

/// How much of something each client holds, by address (IPv6 by /64). For all threads, behind a
/// lock: for what happens seldom, such as a connection that comes or goes.
class address_shares {
public:
  /// Gives `whom` another `amount`, unless that makes more than `most`.
  bool take(const client_address& whom, std::size_t amount, std::size_t most) {
    const std::lock_guard lock{guard_};
    const auto found = held_.find(whom.of_one_client());
    const auto held = found == held_.end() ? 0 : found->second;
    if (amount > most || held > most - amount)
      return false;
    if (found == held_.end())
      held_.emplace(whom.of_one_client(), amount);
    else
      found->second += amount;
    return true;
  }
  void give_back(const client_address& whom, std::size_t amount) noexcept {
    const std::lock_guard lock{guard_};
    const auto found = held_.find(whom.of_one_client());
    if (found != held_.end() && (found->second -= amount) == 0)
      held_.erase(found);
  }
  /// Addresses that hold something.
  std::size_t addresses() const {
    const std::lock_guard lock{guard_};
    return held_.size();
  }

private:
  mutable std::mutex guard_;
  std::unordered_map<std::string, std::size_t, keyed_hash, std::equal_to<>> held_;
};

/// A share that goes back with its holder.
class address_share {
public:
  address_share() = default;
  address_share(address_share&& other) noexcept
    : of_(std::exchange(other.of_, nullptr)), whom_(other.whom_), amount_(other.amount_) {}
  address_share& operator=(address_share&& other) noexcept {
    if (this != &other) {
      give_back();
      of_ = std::exchange(other.of_, nullptr);
      whom_ = other.whom_;
      amount_ = other.amount_;
    }
    return *this;
  }
  ~address_share() { give_back(); }

  /// Takes one in place of what is held; false when that would be more than `most`.
  bool take(address_shares& of, const client_address& whom, std::size_t amount, std::size_t most) {
    give_back();
    if (!of.take(whom, amount, most))
      return false;
    of_ = &of;
    whom_ = whom;
    amount_ = amount;
    return true;
  }
  void give_back() noexcept {
    if (auto* of = std::exchange(of_, nullptr))
      of->give_back(whom_, amount_);
  }

private:
  address_shares* of_ = nullptr;
  client_address whom_;
  std::size_t amount_ = 0;
};

} // namespace credence::http
