#pragma once

#include "actors/chain/chain_state.hpp"
#include "actors/chain/follow_types.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

/// What the events of a step make of the rows.
namespace credence::chain {

/// The topics of a log that is stored.
std::vector<digest32> topics_in(const std::vector<std::byte>& bytes);

/// What the log of a stored event says; null where it is no known event. Reads it unless it was read before.
std::shared_ptr<const event> event_in(const stored_event& stored);
/// The same where records are made of events of its contract; null for any other log.
std::shared_ptr<const event> followed_event_in(const stored_event& stored, const record_kinds& followed);

/// Whether the step changes rows, or may do so by closing slashes.
bool needs_rows(const blocks_applied& step, const record_kinds& followed);

class row_images;

/// A step that is folded, perhaps more than once.
class step_fold {
public:
  explicit step_fold(const fold_step& order);

  /// Folds it into `rows`, which hold all that the events need, or note what is missing: then what is returned is of no
  /// use.
  folded_step fold(chain_rows& rows) const;

private:
  /// When slashes are closed, and by which event; 0: by no event.
  struct closing_place {
    std::int64_t event = 0;
    block_number block = 0;
    unix_time at;
  };
  std::int64_t undo_block_of(block_number block) const;
  event_outcome fold_event(chain_rows& rows, std::size_t which, fold_effects& effects) const;
  void close_before(chain_rows& rows, row_images& images, const closing_place& where) const;
  void write_due(chain_rows& rows, row_images& images, const closing_place& where, folded_step& to,
                 std::int64_t undo_block_before, int& left) const;

  const fold_step& order_;
  std::vector<std::shared_ptr<const event>> events_; // null: no rows are made of it
};

/// Folds the step over rows that `read` brings: what is found for some keys leads to others, so it is folded, and what
/// it lacked is read, until it lacks nothing. `rows` holds what is always read.
template <class Read>
folded_step fold_in_rounds(chain_rows& rows, const fold_step& order, Read read) {
  constexpr int rounds_max = 50;
  const step_fold step{order};
  rows.settle();
  rows.note_missing();
  for (int round = 0; round < rounds_max; ++round) {
    const auto begun = rows.mark();
    auto out = step.fold(rows);
    const auto missing = rows.take_missing();
    if (missing.empty())
      return out;
    rows.back_to(begun);
    read(missing);
    rows.settle();
  }
  throw std::logic_error("a step of the chain needs rows without end");
}

/// The time up to which slashes may be closed by the step.
unix_time closing_until(const blocks_applied& step);

/// The step as its events have left it.
void put_into(blocks_applied& step, folded_step& folded);
/// The rows of the step, event by event, to be tried.
blocks_tried trial_of(const blocks_applied& step);

} // namespace credence::chain
