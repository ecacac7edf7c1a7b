#pragma once

#include "actors/store.hpp"
#include "persistence/writer/takeover.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace credence::persistence {

/// Tells a listener what became of its changes.
using teller = std::function<void(const write_listener&, const write_outcome&)>;

/// Changes that are committed together. Those refused on the way stay in their place,
/// so that every stream hears of its changes in the order it sent them.
struct batch {
  struct entry {
    write_request request;
    std::uint64_t position;              // among all ever taken
    std::optional<write_result> refused; // set: not to be written
  };

  std::vector<entry> entries;
  steady_time not_before{}; // not to be tried again earlier
  int conflicts = 0;        // times it lost against another transaction
  int doubts = 0;           // times its outcome was in doubt, and it was not there
  batch_identity identity;  // of its last way to the database

  /// The position of the first change; there is one.
  std::uint64_t oldest() const noexcept { return entries.front().position; }
  /// Changes still to be written.
  std::size_t accepted() const noexcept;
  /// How many of those take a global number.
  std::size_t numbered() const noexcept;
  /// The later half of the changes, which leaves this batch; both have some to write.
  batch split();
};

/// Says what became of a batch: one message per stream and result.
class announcer {
public:
  explicit announcer(teller tell) : tell_(std::move(tell)) {}
  /// `result` for everything that was not refused before. Returns how many changes
  /// have their final outcome by this.
  std::size_t tell(const batch& of, write_result result, global_seq as_of);
  /// That the outcome is open, to the streams of what was or is to be written.
  template <class Entries>
  void tell_in_doubt(const Entries& of) {
    for (const batch::entry& each : of)
      if (!each.refused)
        count(each.request, write_result::in_doubt, 0, 0);
    send();
  }
  /// One change alone.
  void tell(const write_request& one, write_result result);

private:
  struct group {
    const write_listener* to;
    write_outcome outcome;
  };
  void count(const write_request& one, write_result result, global_seq as_of, global_seq number);
  void send();

  teller tell_;
  std::vector<group> groups_;
  std::unordered_map<std::uint64_t, std::size_t> last_group_; // by incarnation
};

} // namespace credence::persistence
