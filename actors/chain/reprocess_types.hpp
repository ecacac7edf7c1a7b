#pragma once

#include "actors/chain/follow_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Failed events that are tried again, when an operator asks for it: in their order, each behind all that is there. So the order of folding
/// is that of ids, but for these: they come where they were tried last.
namespace credence::chain {

/// The reason of an event that would change rows which later events have changed since.
inline constexpr std::string_view later_events = "refused:later_events";

/// A failed event has been tried again. The database decides last: where a later event has changed a row of these, or it refuses one,
/// the event has failed anew, and nothing of it is written.
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
