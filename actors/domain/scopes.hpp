#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace credence {

/// What an API key may be narrowed to. Every endpoint needs one of these, or none.
enum class scope : std::uint8_t { none, read, vote, tip, trade, keys, record };
inline constexpr std::array<std::string_view, 7> scope_names{"", "read", "vote", "tip", "trade", "keys", "record"};

inline std::string_view name_of(scope scope) noexcept { return scope_names[static_cast<std::size_t>(scope)]; }

/// The scope of that name; nothing for what is no scope.
inline std::optional<scope> scope_named(std::string_view name) noexcept {
  const auto found = std::find(scope_names.begin() + 1, scope_names.end(), name);
  return found == scope_names.end() ? std::nullopt : std::optional{static_cast<scope>(found - scope_names.begin())};
}

/// Some scopes; each is in it or not.
class scope_set {
public:
  void add(scope scope) noexcept { bits_ = static_cast<std::uint8_t>(bits_ | bit(scope)); }
  bool has(scope scope) const noexcept { return (bits_ & bit(scope)) != 0; }
  /// Whether an endpoint that needs `wanted` may be called.
  bool allows(scope wanted) const noexcept { return wanted == scope::none || has(wanted); }
  bool empty() const noexcept { return bits_ == 0; }
  friend bool operator==(const scope_set&, const scope_set&) = default;

private:
  static constexpr std::uint8_t bit(scope scope) noexcept {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(scope));
  }
  std::uint8_t bits_ = 0;
};

/// The names of a set, with commas between; `read,vote`.
inline std::string names_of(const scope_set& set) {
  std::string out;
  for (std::size_t i = 1; i < scope_names.size(); ++i)
    if (set.has(static_cast<scope>(i)))
      out.append(out.empty() ? "" : ",").append(scope_names[i]);
  return out;
}

} // namespace credence
