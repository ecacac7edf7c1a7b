#pragma once

#include "actors/domain/field_list.hpp"
#include "actors/domain/words.hpp"
#include "actors/integrity/integrity_types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Groups that are remembered from run to run, so that one can say what is new about them and what was done.
namespace credence::integrity {

/// What the newest run that says something of a ring says. `grown`: it has members that no run before has seen in it.
enum class ring_change : std::uint8_t { fresh, grown, same, gone };
CREDENCE_WORDS(ring_change, ring_change_names, "new", "grown", "same", "gone");

/// What people have made of a ring. `open`: nobody has said anything, or it has grown since.
enum class ring_mark : std::uint8_t { open, looked_at, honest, acted_on };
CREDENCE_WORDS(ring_mark, ring_mark_names, "open", "looked_at", "honest", "acted_on");

/// The bounds of what is kept.
inline constexpr std::size_t rings_kept_max = 1'000;    // beyond, those that have been gone for longest are forgotten
inline constexpr std::int32_t ring_runs_kept_max = 100; // the newest
inline constexpr std::chrono::days ring_kept_for{90};   // after a run has found it for the last time
inline constexpr std::size_t ring_seen_max = 1'000;     // of its members in all runs, the ones of the newest run first

/// A ring as it is stored.
struct ring {
  std::int32_t id = 0; // never used again
  ring_change change = ring_change::fresh;
  ring_mark mark = ring_mark::open;
  std::string marked_by; // empty: nobody
  std::optional<timestamp> marked_at;
  std::string remark;
  timestamp first_found{}; // by the first run that found it
  timestamp last_found{};
  std::int32_t runs = 0;             // that found it
  std::vector<std::int32_t> members; // of the newest run that found it, in order
  std::vector<std::int32_t> seen;    // of all runs, in order
  // The measures of the newest run that found it.
  double decades = 0;
  std::vector<std::int32_t> sign_decades; // by `sign`, rounded down
  std::vector<std::int32_t> sign_pairs;   // by `sign`; 0: it does not show it
  std::vector<std::int32_t> mutual;       // by `tie_kind`
  std::int32_t moments = 0;
  timestamp first_at{}; // it acted together
  timestamp last_at{};
};

/// A run whose findings are stored.
struct ring_run {
  timestamp started_at{};
  timestamp ended_at{};
  std::int64_t votes = 0;
  std::int64_t people = 0;
  std::int32_t found = 0; // rings
  std::int32_t fresh = 0;
  std::int32_t grown = 0;
  std::int32_t gone = 0; // that the run before had found
};

/// Seconds: when the group acted together for the first and the last time; without such a moment, when its members
/// joined.
std::pair<std::uint32_t, std::uint32_t> span_of(const found_group& group);

/// What a run has found, as a ring that has no name yet.
ring as_found(const found_group& group);
/// Takes the findings of a run into a ring that is known. One that has grown is open again.
void find_again(ring& known, const ring& found);

/// Which ring that is known each found one is, by its place in `known`. It is the one with which it has most members in
/// common: more than half of those of the smaller one. Of several that are found in one known ring, the one that has
/// most of it keeps its name, and the others are new.
std::vector<std::optional<std::size_t>> recognise(const std::vector<ring>& known, const std::vector<ring>& found);

/// The group behind a stored ring, without its moments.
found_group group_of(const ring& stored);

} // namespace credence::integrity
