#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/actor.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

/// What actors and the store say to each other about changes, whatever the changes are.
namespace credence {

/// One incarnation of an entity's actor, and within it one run of changes that build on
/// each other. When a change of a stream fails, the store fails all later ones
/// of that stream too, so that per-entity numbers stay gapless; the entity decides
/// them again under a new `attempt`, or stops and is loaded afresh.
struct write_stream {
  std::uint64_t incarnation = 0; // unique in this process: next_incarnation()
  std::uint32_t attempt = 0;
  friend bool operator==(const write_stream&, const write_stream&) = default;
};

/// A number no other entity actor of this process has had.
inline std::uint64_t next_incarnation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

enum class write_result : std::uint8_t {
  stored,      // committed
  stale,       // not committed: what it was decided on holds no longer, as an era has ended since; decide again
  not_written, // not in the database, nor on its way there any more: take it and what followed back, and go on
  too_long,    // not written, as alone it took longer than a transaction may: only what comes from a chain
  failed,      // the database refused the first of these, alone; those after it build on it and were not written
  in_doubt,    // the outcome is not known yet; another outcome for these follows
};

/// The fate of the next `count` changes of `stream`, in the order they were sent.
/// `in_doubt` does not use them up: it is followed by a final outcome.
struct write_outcome {
  write_stream stream;
  write_result result{};
  std::uint32_t count = 0;
  global_seq as_of = 0;  // stored: last global number of the batch that holds them
  global_seq number = 0; // stored: of the change itself, where its kind is named by it; `count` is 1 then
};

/// Who is told the outcome of a write.
using write_listener = actor_handle<write_outcome>;

/// Answered once every write received before it has its final outcome. Used
/// before an entity that stopped with changes under way is loaded again.
struct settled {};
struct settle {
  using answer_type = settled;
};

/// What everyone may see of the store without asking it: set by the writer,
/// read by the front before it admits a write, and by the health checks.
struct store_status {
  /// Steady-clock nanoseconds of the last good commit or probe.
  std::atomic<std::int64_t> last_good_ns{0};
  /// False from the moment the writer lost its connection until it has it back
  /// and every doubtful batch is resolved, and while the clock is wrong. Writes are refused at once meanwhile.
  std::atomic<bool> writable{false};
  /// True once this process has become the writer: nothing of an earlier one can be
  /// committed any more. What is read before that may be overtaken, so nothing is.
  std::atomic<bool> owned{false};
  /// True when another process has become the writer since. What this one's actors
  /// know is out of date then, so it has to end.
  std::atomic<bool> superseded{false};
  /// Called once when that happens, from the writer's thread; set before it is born.
  std::function<void()> when_superseded;
  /// Changes in the writer's mailbox and hands.
  std::atomic<std::int64_t> queued{0};

  /// The lease of readers: when it was last known that nobody else owns the data. On the boot
  /// clock, from before the question was sent that told so.
  std::atomic<std::int64_t> owned_at_ns{0};
  static constexpr std::chrono::seconds lease{3};
  static constexpr std::int64_t for_good = std::numeric_limits<std::int64_t>::max(); // where nobody can take over
  std::chrono::nanoseconds lease_age() const {
    const auto since = owned_at_ns.load(std::memory_order_acquire);
    return since == for_good ? std::chrono::nanoseconds{0} : boot_now() - std::chrono::nanoseconds{since};
  }
  /// Whether what memory and database say may be told. A process that was stopped, cut off or
  /// taken over may know less than others have been told.
  bool may_read() const { return !superseded.load(std::memory_order_acquire) && lease_age() < lease; }

  /// What was found of the wall clock; nothing is written unless it is good.
  std::atomic<clock_verdict> clock{clock_verdict::good};
  /// How far the wall clock is ahead of the database's.
  std::atomic<std::int64_t> clock_difference_us{0};
  /// Grows whenever the writer has been through its mailbox.
  std::atomic<std::uint64_t> turns{0};
};

} // namespace credence
