#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace credence::persistence {

/// What other programs have changed, as the triggers of the schema tell it
/// (migration changes_are_told), until it is passed on.
struct change_notifications {
  struct of_a_kind {
    bool all = false; // perhaps: each is to be read again
    std::set<std::int32_t> ids;
    explicit operator bool() const noexcept { return all || !ids.empty(); }
  };
  static constexpr std::size_t ids_max = 10'000; // kept of each kind; beyond, it is all of them

  of_a_kind profiles;
  of_a_kind projects;

  /// Takes in a note. One that it cannot read stands for everything.
  void take(std::string_view note);
};

} // namespace credence::persistence
