#pragma once

#include "actors/context.hpp"
#include "actors/integrity/integrity_types.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"

#include <atomic>
#include <memory>
#include <string>

namespace credence::integrity {

/// What an analyst and who sent for it share.
struct errand {
  std::atomic<bool> stop{false};
  std::atomic<double> share{0};
};

/// An analysis has come to its end.
struct analysis_over {
  std::shared_ptr<const errand> of;
  std::shared_ptr<const findings> found; // null: it failed, or was stopped
  std::string error;
};

/// Reads everything piece by piece, analyses it, tells `parent` `analysis_over` and is gone. On a thread of its own
/// that runs when no other one has to; it ends with `parent`, and soon once `how->stop` is set.
void send_analyst(actor& parent, std::shared_ptr<const context> with, port<storage> storage,
                  std::shared_ptr<errand> how);

/// Has analyses made, one at a time and only when asked, and keeps what the last one found.
using integrity_handle = actor_handle<get_analysis, start_analysis, stop_analysis>;
struct integrity_door {
  using handle = integrity_handle;
};

integrity_handle spawn_integrity(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::integrity
