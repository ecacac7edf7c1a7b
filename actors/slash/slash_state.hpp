#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/people/people_index.hpp"
#include "actors/project/project_state.hpp"
#include "actors/slash/slash_types.hpp"

#include <map>
#include <vector>

namespace credence::slash {

/// By the share of the weight that voted for the slash; without any weight it is inconclusive.
verdict verdict_of(const weights& votes) noexcept;

/// The most that an author of one score may ask for from a subject of another.
std::int64_t amount_max(std::int32_t author_score, std::int32_t subject_score) noexcept;

/// What a vote comes to. Without a change the one that stands is the same already.
struct vote_decision {
  vote_receipt receipt;
  std::optional<slash_voted> change;
};

/// All slashes that are open, and who was slashed lately: what decides on opening, voting and
/// closing. Time comes in; a slash takes votes and cancellation before its end only, and at
/// its end is due to close. It may be opened, cancelled and closed while its ballots are still
/// coming in; whose ballot is not in yet cannot vote.
class slash_state {
public:
  slash_state(stored_open_slashes stored, const people::people_index& people);

  /// `xp` is what was read of the two for a slash for XP; for others it does not matter.
  outcome<slash_opened> decide(const open_slash& command, timestamp now, const xp_at_hand& xp = {}) const;
  /// The voter's ballot must be in (`knows`).
  outcome<vote_decision> decide(const cast_slash_vote& command, timestamp now) const;
  outcome<slash_closed> decide(const cancel_slash& command, timestamp now) const;
  /// Closes those whose time is over, in the order of their ends.
  std::vector<slash_closed> due(timestamp now) const;

  void apply(const slash_opened& change);
  void apply(const slash_voted& change);
  void apply(const slash_closed& change);

  /// What to load next; nothing when all ballots are in.
  std::optional<load_ballots> wanted() const;
  /// Takes in what came for `wanted`.
  void take(const load_ballots& query, const stored_ballots& came);
  /// Whether it is known how the profile has voted, if at all.
  bool knows(slash_id which, profile_id voter) const;

  /// An open slash; null when there is none.
  const slash_record* find(slash_id which) const;

private:
  struct open_one {
    slash_record record;
    entity_seq last_number = 0;
    weights votes;                           // of the ballots, also of those that are not in yet
    project::voter_table ballots;            // packed
    std::optional<profile_id> known_to = {}; // ballots above this one are still to come
  };

  std::optional<refusal> not_live(profile_id who) const;
  std::int32_t score_of(const open_slash& command) const;
  /// Why the slash takes nothing any more, or is not there.
  std::optional<refusal> over(slash_id which, timestamp now) const;
  std::optional<refusal> in_the_way(const open_slash& command, timestamp now) const;
  std::optional<refusal> out_of_bounds(const open_slash& command, const xp_at_hand& xp,
                                       std::int32_t author_score) const;

  const people::people_index& people_;
  slash_id last_;
  std::map<slash_id, open_one> open_;
  std::vector<slashed_subject> slashed_; // within the cooldown, and some before it
};

} // namespace credence::slash
