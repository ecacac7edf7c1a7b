#pragma once

#include "actors/chain/follow_types.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Stored events that are folded into the rows behind all that is there: those of kinds that are added to a chain that
/// is followed, and failed ones that an operator has tried again. So the order of folding is that of ids, but for
/// these: events of added kinds come when their kind does, and failed ones where they were tried last.
namespace credence::chain {

// -- kinds that are added ------------------------------------------------------------------------

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

/// Kinds are followed from here on, and their stored events are applied next.
struct kinds_added {
  chain_number chain = 0;
  digest32 tip{};    // that following stands at; none of its blocks may be taken back
  std::string kinds; // all that are followed, with commas between them
  std::string added; // of them
  std::int32_t id_offset = 0;
  timestamp at{};
};

/// Stored events of added kinds are applied, those behind `before`, which is the place until then, up to `place`. There
/// may be none.
struct events_replayed {
  chain_number chain = 0;
  std::int64_t before = 0, place = 0; // ids of events
  bool done = false;                  // there are no more
  std::vector<event_outcome> events;
  std::vector<row_image> rows;
  timestamp at{};
};

/// How far the events of added kinds are applied.
struct stored_replay {
  std::optional<follow_place> place; // of following; none: nothing of the chain is stored
  std::vector<block_mark> blocks;    // that can be gone back to, in order
  std::int64_t applied_to = 0;       // the last event of added kinds that was applied
  std::int64_t looked_to = 0;        // the last event that was looked at
  std::vector<stored_event> next;    // the first ones up to it that are not applied, in order
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

/// Whether stored events have to be applied before following goes on.
inline bool needs_replay(const follow_place& stored, const record_kinds& followed) {
  return !stored.replaying.empty() || stored.kinds != text_of(followed);
}

// -- failed events -------------------------------------------------------------------------------

/// The reason of an event that would change rows which later events have changed since.
inline constexpr std::string_view later_events = "refused:later_events";

/// A failed event has been tried again. The database decides last: where a later event has changed a row of these, or
/// it refuses one, the event has failed anew, and nothing of it is written.
struct event_reprocessed {
  chain_number chain = 0;
  digest32 tip{};          // that following stands at
  std::int64_t before = 0; // the last one that was tried
  std::int64_t event = 0;  // 0: none is left
  std::optional<std::string> event_name, log_data;
  event_status status = event_status::failed;
  std::optional<std::string> reason;
  std::vector<row_image> rows;
  timestamp at{};
};

/// Takes blocks that are not final back, in a reorganisation and before failed events are tried again or kinds are
/// added: a few at a time, as each piece is one statement, and votes wait for it. Pure: told of what happens.
class piecewise_undo {
public:
  static constexpr block_number blocks_max = 20;

  /// Where to go back to next, from that tip to the first one of these blocks, which are in order; nothing: the tip is
  /// that one.
  std::optional<block_mark> next(const block_mark& tip, std::span<const block_mark> blocks) const {
    std::optional<block_mark> out;
    for (const auto& block : blocks) {
      if (block.number >= tip.number)
        break;
      out = block;
      if (block.number + size_ >= tip.number)
        break;
    }
    return out;
  }
  /// A piece was not written: perhaps it was too large.
  void lost() noexcept { size_ = std::max<block_number>(size_ / 2, 1); }

private:
  block_number size_ = blocks_max;
};

/// The next slice of failed events is tried once no more blocks than that are missing.
inline constexpr block_number near_head_blocks = 20;
/// Whether the chain is caught up with, but for the `confirmations` newest blocks, which are left alone.
inline bool near_head(const chain_status& status, std::uint64_t confirmations) {
  return status.tip && status.head && status.tip->number + confirmations + near_head_blocks >= *status.head;
}

/// How far failed events are tried again.
struct stored_reprocess {
  std::optional<std::int64_t> tried_to; // the last one that was tried; none: nobody has asked for it
  digest32 tip{};                       // that following stands at
  std::optional<stored_event> next;     // the first one behind it
};
struct load_reprocess {
  using answer_type = stored_reprocess;
  chain_number chain = 0;
};

} // namespace credence::chain
