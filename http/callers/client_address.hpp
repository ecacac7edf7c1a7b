#pragma once

#include "actors/domain/hash.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::http {

/// An IP address in 16 bytes; IPv4 as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
struct client_address {
  std::array<char, 16> bytes{};

  bool is_v4() const noexcept;
  /// The bytes that tell one client from another: all of an IPv4 address, of an IPv6
  /// address the first 64 bits, because a household has all that begin so.
  std::string_view of_one_client() const noexcept;
  bool operator==(const client_address&) const = default;
};

/// 127.0.0.0/8 or ::1: a program on this machine.
bool is_loopback(const client_address& which) noexcept;

/// As it is written: 192.0.2.1, 2001:db8::1.
std::string text_of(const client_address& which);

/// IPv4 or IPv6 as text, also with a zone (`fe80::1%eth0`), brackets or a port, as some
/// proxies write it; nothing for anything else.
std::optional<client_address> parse_address(std::string_view text);

/// Addresses and networks such as 10.0.0.0/8; those that are none are left out.
class address_ranges {
public:
  explicit address_ranges(std::span<const std::string> networks);
  bool contains(const client_address& which) const noexcept;
  bool empty() const noexcept { return ranges_.empty(); }

private:
  struct range {
    client_address first;
    unsigned bits;
  };
  std::vector<range> ranges_;
};

/// Who speaks through `peer`: itself, unless it is trusted and names others. Of those in
/// X-Forwarded-For it is the right-most that is not trusted, the left-most when all are;
/// when one up to there is no address, nothing of it is believed.
client_address client_behind(const client_address& peer, const address_ranges& trusted, std::string_view forwarded_for);

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
