#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/settled.hpp"
#include "actors/kernel/published_pointers.hpp"
#include "actors/kernel/published_table.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

namespace credence::project {
struct figures;
}

namespace credence::listing {

/// Status of every project, readable from any thread. Written by the board only,
/// from committed rows: a projection, never a place that decides. Beside it, what projects themselves publish.
class project_index {
public:
  /// A project is `unsettled` while its block is not settled: it is shown as an active one, and takes no votes.
  enum class status : std::uint8_t { unknown, archived, active, unsettled };

  status status_of(project_id which) const noexcept { return static_cast<status>(cells_.read(which.value)); }
  std::int64_t active_count() const noexcept { return active_.load(std::memory_order_relaxed); }
  /// True once every project of the database has been read.
  bool complete() const noexcept { return complete_.load(std::memory_order_acquire); }

  /// What projects publish of their votes, each for itself, for pages of the board.
  published_pointers<project::figures>& figures() const noexcept { return figures_; }

  /// Owner only. An active project is unsettled while its block is.
  void publish(project_id which, status now, unsettled_block since = {}) {
    if (now != status::active)
      since.reset();
    if (since)
      now = status::unsettled;
    unsettled_.note(which, since);
    const auto before = status_of(which);
    cells_.write(which.value, static_cast<std::uint32_t>(now));
    active_.fetch_add(static_cast<int>(now == status::active) - static_cast<int>(before == status::active),
                      std::memory_order_relaxed);
  }
  /// Owner only: adds those that have waited for a block up to that one.
  void add_settled(std::int64_t up_to, std::vector<project_id>& to) const { unsettled_.add_those_up_to(up_to, to); }
  /// Owner only.
  void set_complete() noexcept { complete_.store(true, std::memory_order_release); }

private:
  published_table cells_;
  std::atomic<std::int64_t> active_{0};
  std::atomic<bool> complete_{false};
  mutable published_pointers<project::figures> figures_;
  unsettled_rows<project_id> unsettled_; // the owner's
};

} // namespace credence::listing
