#pragma once

#include "actors/context.hpp"
#include "actors/integrity/integrity_storage.hpp"
#include "actors/kernel/port.hpp"

#include <atomic>
#include <cstdint>
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

} // namespace credence::integrity
