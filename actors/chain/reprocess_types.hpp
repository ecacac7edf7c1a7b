#pragma once

#include "actors/chain/follow_types.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Failed events that are tried again, when an operator asks for it: in their order, each behind all that is there. So
/// the order of folding is that of ids, but for these: they come where they were tried last.
namespace credence::chain {

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

/// Takes blocks that are not final back, before failed events are tried again or kinds are added: a few at a time, as
/// each piece is one statement of the writer, which votes share. Pure: told of what happens.
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
