#pragma once

#include "actors/store.hpp"
#include "persistence/sql/all_sql.hpp"
#include "persistence/writer/takeover.hpp"

#include <functional>
#include <optional>
#include <span>
#include <tuple>
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

/// Turns batches into statements. Keeps its buffers from one batch to the next.
class batch_encoder {
public:
  /// Prepares everything that a batch may use.
  static void prepare(connection& on, steady_time deadline);
  /// The statements of `from`, valid until the next call. Its changes take the global
  /// numbers from `from.identity.first_seq` on, in order.
  std::span<const pipelined> encode(const batch& from, const claim& mine);
  /// Whether that is a single statement, which writes its change only where the fence and the checks let it: no
  /// row means that the batch was refused, and `encode_long` has the statements that say why.
  bool lone() const noexcept { return lone_; }
  std::span<const pipelined> encode_long(const batch& from, const claim& mine);

private:
  template <class... F>
  using each_sql = std::tuple<sql_of<F>...>;

  bool take_short_way(const batch& from);
  void add(const change& change, global_seq number);

  bool lone_ = false;
  parameters fence_;
  made_of<each_sql, all_facts> kinds_;
  effect_columns effects_;
  audit_columns audit_;
  batch_statements statements_;
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
