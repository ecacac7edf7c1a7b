#pragma once

#include "actors/domain/time.hpp"
#include "actors/people/lookup_types.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <unordered_map>

namespace credence::http {

/// Whom keys lead to, so that who asks again is answered on the I/O thread. One instance
/// per I/O thread, without locks. What was found, or was not there, counts for a few
/// seconds; beyond the bound the oldest goes.
class known_keys {
public:
  /// Accounts and addresses change hands rarely; who does sees it this late.
  static constexpr std::chrono::seconds age_max{10};
  static constexpr std::size_t entries_max_each = 50'000;

  explicit known_keys(std::size_t entries_max = entries_max_each) : entries_max_(entries_max) {}

  /// Whom `key` leads to; null when that is not known, or not any more.
  const people::found_person* find(const people::lookup_key& key, steady_time now) const;
  /// Takes in what was found for `key`.
  void take(const people::lookup_key& key, const people::found_person& found, steady_time now);

  std::size_t size() const noexcept { return by_key_.size(); }

private:
  struct entry {
    people::lookup_key key;
    people::found_person found;
    steady_time found_at{};
  };
  using entries = std::list<entry>; // found last in front

  std::size_t entries_max_;
  entries entries_;
  std::unordered_map<people::lookup_key, entries::iterator> by_key_;
};

} // namespace credence::http
