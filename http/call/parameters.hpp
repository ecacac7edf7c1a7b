#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "config/limits.hpp"
#include "http/call/target.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

/// Inclusive bounds of an integer.
struct bounds {
  std::int64_t least = -limits::safe_integer_max;
  std::int64_t most = limits::safe_integer_max;
};

/// Which instant a date without a time stands for.
enum class day_edge : std::uint8_t { start, end };

/// A whole number in plain decimal: `0`, `17`, `-4`; no sign `+`, no leading zero, no
/// point, no blank. Nothing when it is anything else or does not fit 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// ISO 8601: `2026-03-01`, or `2026-03-01T12:00:00` followed by an optional fraction
/// and by `Z` or an offset such as `+02:00`. A date alone is its first microsecond or
/// its last one. Finer fractions than microseconds are cut off.
std::optional<timestamp> parse_moment(std::string_view text, day_edge alone);

/// A value as messages show it: quoted, and cut when it is long.
std::string shown(std::string_view value);

/// Whether somebody means `dryRun` by `name`, however it is spelled: `dry_run`, `DryRun`, `dry-run`.
bool means_dry_run(std::string_view name);

/// Reads the parameters of one request and gathers everything that is wrong with
/// them. A reader of a parameter that is absent or wrong returns nothing or the
/// default; a scalar parameter may be given once. One without a value (`limit=`) is absent.
class parameters {
public:
  /// Keeps a reference to `query`.
  explicit parameters(const query_map& query) : query_(query) {}

  /// An id in the path, 1..2147483647. 0 when it is wrong.
  template <class Id>
  Id path_id(std::string_view name, std::string_view text) {
    return Id{static_cast<std::int32_t>(in_bounds(name, text, {1, limits::id_max}).value_or(0))};
  }
  template <class Id>
  std::optional<Id> id(std::string_view name) {
    const auto number = integer(name, {1, limits::id_max});
    return number ? std::optional{Id{static_cast<std::int32_t>(*number)}} : std::nullopt;
  }

  std::optional<std::string_view> text(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, bounds within = {});
  std::int32_t integer_or(std::string_view name, std::int32_t otherwise, bounds within);
  /// Position of the value in `allowed`.
  std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> allowed);
  /// `false` or `true`.
  std::optional<bool> flag(std::string_view name);
  std::optional<timestamp> moment(std::string_view name, day_edge alone);
  /// Items as repeated names, as `name[]`, separated by commas, or any mix; each once,
  /// in the order given. At most `most` items, counted before repeats are dropped.
  std::vector<std::int32_t> integers(std::string_view name, bounds each, std::size_t most);

  /// What `read` reads, or one more mistake, that `name` is required, when it finds
  /// nothing there; `why` follows, such as "with scope 'period'".
  template <class Read>
  auto required(std::string_view name, std::string_view why, Read read) {
    const auto before = issues_.size();
    auto found = read();
    if (issues_.size() == before && !is_there(found))
      issue(std::string{name} + " is required" + (why.empty() ? "" : " ") + std::string{why});
    return found;
  }

  /// Items as repeated names, as `name[]`, separated by commas, or any mix. At most `most` of them.
  std::vector<std::string_view> texts(std::string_view name, std::size_t most);
  /// Positions in `allowed` of such items, each once, in the order given; nothing when the parameter is absent.
  std::optional<std::vector<std::size_t>> choices(std::string_view name, std::span<const std::string_view> allowed);
  /// Whether the query has such a list, or a parameter of that name, with a value.
  bool has(std::string_view name) const;
  /// What `read` reads under that of two names of one parameter which the query has, else under `name`. Two that say
  /// different things are a mistake; what they say counts, not how it is spelled.
  template <class Read>
  auto either(std::string_view name, std::string_view other, Read read) {
    if (!has(other))
      return read(name);
    const auto before = issues_.size();
    auto found = read(other);
    if (has(name) && !(read(name) == found) && issues_.size() == before)
      issue(std::string{name} + " and " + std::string{other} + " are two names of one parameter: give one of them");
    return found;
  }

  /// Adds a mistake to the list.
  void issue(std::string text) { issues_.push_back(std::move(text)); }
  void issues_of(const refusal& other);
  bool good() const noexcept { return issues_.empty(); }
  void forget_issues() noexcept { issues_.clear(); }
  /// BAD_REQUEST with every mistake; call it only when there is one.
  refusal why() const;

private:
  template <class T>
  static bool is_there(const std::optional<T>& found) {
    return found.has_value();
  }
  template <class T>
  static bool is_there(const std::vector<T>& found) {
    return !found.empty();
  }
  std::optional<std::int64_t> in_bounds(std::string_view name, std::string_view value, bounds within);
  /// Position of a value in `allowed`.
  std::optional<std::size_t> place_of(std::string_view name, std::string_view value,
                                      std::span<const std::string_view> allowed);

  /// Whether the query's `key` is `name` or `name[]`.
  static bool names(std::string_view key, std::string_view name) {
    return key.starts_with(name) && (key.size() == name.size() || key.substr(name.size()) == "[]");
  }

  const query_map& query_;
  std::vector<std::string> issues_;
};

/// `limit` 0..`most` (default 50) and `offset` (default 0).
page read_page(parameters& from, std::int32_t most = limits::limit_max);

} // namespace credence::http
