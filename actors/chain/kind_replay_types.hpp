#pragma once

#include "actors/chain/follow_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Kinds that are added to a chain that is followed: its stored events of these kinds are applied, in their order,
/// behind all that is there. So the order of folding is that of ids, but for events of added kinds that were stored
/// before: these come when their kind does.
namespace credence::chain {

/// The kinds of these names, with commas between them.
constexpr record_kinds kinds_in(std::string_view names) {
  record_kinds out;
  while (!names.empty()) {
    const auto end = names.find(',');
    if (const auto kind = record_kind_named(names.substr(0, end)))
      out.add(*kind);
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  return out;
}
/// Those of `all` that are not in `some`.
constexpr record_kinds kinds_beyond(const record_kinds& some, const record_kinds& all) {
  record_kinds out;
  for (std::size_t i = 0; i < record_kind_names.size(); ++i)
    if (const auto kind = static_cast<record_kind>(i); all.contains(kind) && !some.contains(kind))
      out.add(kind);
  return out;
}

// -- changes -------------------------------------------------------------------------------------

/// Kinds are followed from here on, and their stored events are applied next.
struct kinds_added {
  chain_number chain = 0;
  digest32 tip{};    // that following stands at; none of its blocks may be taken back
  std::string kinds; // all that are followed, with commas between them
  std::string added; // of them
  std::int32_t id_offset = 0;
  timestamp at{};
};

/// What became of an event.
struct replayed_event {
  std::int64_t id = 0;
  event_status status = event_status::ignored;
  std::optional<std::string> reason;
  friend bool operator==(const replayed_event&, const replayed_event&) = default;
};
/// Stored events of added kinds are applied, those behind `before`, which is the place until then, up to `place`. There
/// may be none.
struct events_replayed {
  chain_number chain = 0;
  std::int64_t before = 0, place = 0; // ids of events
  bool done = false;                  // there are no more
  std::vector<replayed_event> events;
  std::vector<row_image> rows;
  timestamp at{};
};

// -- questions to the database -------------------------------------------------------------------

/// How far the events of added kinds are applied.
struct stored_replay {
  std::optional<follow_place> place; // of following; none: nothing of the chain is stored
  std::optional<block_mark> oldest;  // block that can be gone back to
  std::int64_t applied_to = 0;       // the last event of added kinds that was applied
  std::int64_t looked_to = 0;        // the last event that was looked at
  std::vector<stored_event> next;    // the first ones up to it that are not applied, in order
  std::vector<refused_event> refused;
  std::optional<std::string>
    conflict; // of the kinds to be added: one whose records the API made, with ids that the chain may give, too
};
struct load_replay {
  using answer_type = stored_replay;
  chain_number chain = 0;
  record_kinds added; // with those that are followed already
  std::int32_t id_offset = 0;
  std::int32_t most = 0; // events
};

} // namespace credence::chain
