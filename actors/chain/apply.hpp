#pragma once

#include "actors/chain/chain_state.hpp"
#include "actors/chain/follow_types.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

/// What the events of a step make of the rows.
namespace credence::chain {

/// The topics of a log that is stored.
std::vector<digest32> topics_in(const std::vector<std::byte>& bytes);

/// The event of a log that is stored, if records are made of events of its contract; nothing for any other log.
std::optional<event> event_of(const stored_event& stored, const record_kinds& followed);
/// The same where it waits for that.
std::optional<event> event_in(const stored_event& stored, const record_kinds& followed);

class row_images;

/// Whether the step changes rows, or may do so by closing slashes.
bool needs_rows(const blocks_applied& step, const record_kinds& followed);

/// What others are told when the step is in.
struct step_effects {
  std::set<profile_id> profiles; // that caches have to read again
  std::vector<id_gap> gaps;
  std::set<project_id> projects; // that the board has to read again
  bool texts = false;            // records have come that wait for their texts
  block_number settled = 0;      // rights rest on blocks up to this one since the step; 0: on no more than before
};

/// Folds the step's events into `rows`, which hold all that the events need: their status and reason, and the rows as
/// they leave them. Events of `refused` fail. Each block that may be taken back has rows of its own, or each event
/// does, for a trial. Slashes that are open are closed by the first block of `blocks`, or the first event, at or past
/// their end.
class step_fold {
public:
  step_fold(chain_rows& rows, const fold_settings& how, const record_kinds& followed, std::string default_avatar)
    : rows_(rows), how_(how), followed_(followed), avatar_(std::move(default_avatar)) {}

  step_effects fold(blocks_applied& step, std::span<const refused_event> refused, bool each_event_by_itself);

private:
  /// When slashes are closed, and by which event; 0: by no event.
  struct closing_place {
    std::int64_t event = 0;
    block_number block = 0;
    unix_time at;
  };
  void note_due(row_images& images, const closing_place& where);
  void write_due(row_images& images, const closing_place& where, blocks_applied& step, std::int64_t undo_block_before);

  chain_rows& rows_;
  const fold_settings& how_;
  const record_kinds& followed_;
  std::string avatar_;
};

/// The rows of the step, event by event, to be tried.
blocks_tried trial_of(const blocks_applied& step);

} // namespace credence::chain
