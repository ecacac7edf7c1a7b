#pragma once

#include "actors/chain/chain_rows.hpp"
#include "actors/chain/events.hpp"
#include "actors/chain/follow_types.hpp"

#include <set>
#include <vector>

/// The fold: rows and the next event become the rows after it. Pure; whoever applies events calls it.
namespace credence::chain {

/// The contract of the token, which transfers come from; 0 where there is none.
address token_of(const fold_settings& how);

/// Where an event comes from.
struct event_place {
  contract_kind contract{}; // that emitted it, never `any`
  unix_time at;             // of its block
  std::int64_t id = 0;      // of the event
};

/// What others have to do about an event besides writing the rows.
struct fold_effects {
  std::set<profile_id> profiles; // profiles that caches have to read again
  std::set<wanted_text> texts;
  std::vector<id_gap> gaps;
  std::set<project_id> projects; // listings that the board has to read again
};

/// Applies one event of a contract that makes records (`record_kind_of`). A failed event changes no rows and has no
/// effects, besides the last id that its contract gave out and a gap before it. Where rows are missing that the event
/// needs, they are noted, and the fate says nothing. Throws std::logic_error for an event of another contract.
event_fate fold(chain_rows& rows, const fold_settings& how, const event_place& where, const event& entry,
                fold_effects& effects);

/// Whether a slash of these rows that is open ends at or before that time.
bool has_due_slashes(const chain_rows& rows, unix_time at);
/// Closes those that do, each at its end. To be called before each event, and where a block without events is at or
/// past the end.
void close_due_slashes(chain_rows& rows, unix_time at);
/// As `close_due_slashes`, but so many of them at most, those first that end first. Returns how many.
int close_some_slashes(chain_rows& rows, unix_time at, int most);
/// Slashes that one transaction closes: each may cost a thousand supporters.
inline constexpr int closings_at_once = 2;
/// Whether the event may end a slash. Its rows are written alone, so that those who support the subject at that moment
/// are the ones who pay.
bool ends_slash(const event& entry);

} // namespace credence::chain
