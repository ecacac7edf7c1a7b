#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/profile/profile_types.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace credence::profile {

/// What one profile has cast, by project, in the periods that somebody asked for lately. The
/// votes themselves belong to the projects; this is the voter's committed view of them.
class profile_state {
public:
  /// Periods kept; beyond it the one that was not asked for the longest goes.
  static constexpr std::size_t periods_max = 4;

  /// What the rules need to know about the world at the moment of a question.
  struct surroundings {
    const period::calendar& periods;
    const listing::project_index& projects;
    bool voter_archived = false; // since the votes were read, perhaps
  };

  /// `at_birth`: the period that was open when this profile's actor was made. It hears of every vote in later ones.
  explicit profile_state(std::optional<period_id> at_birth = std::nullopt) : newest_(at_birth) {}

  /// Whether the votes of that period are here. If not they have to be read and taken in.
  bool knows(period_id in) const;
  /// Comes before the votes of a period are read that is not known. Whether that period began while this was in
  /// memory, and nothing has been asked or heard about it before: it is empty then, known, and need not be read.
  bool begin(period_id in);
  void take_in(period_id in, stored_profile stored);

  /// Takes in a vote that a project has committed, if its period is known. One that the
  /// stored rows held already changes nothing.
  void learn(const own_vote& vote);

  /// The period that a question is about. Refuses one that does not exist, and a project that does not.
  static outcome<period_id> period_of(const get_balance& query, const surroundings& around);
  /// Its period must be known.
  balance_view balance(const get_balance& query, const surroundings& around);
  std::vector<own_vote> votes_in(period_id which);
  vote_count count(period_id which);

  /// For operators: the votes cast in a period, if it is in memory, and how many periods are. Does not count as a use
  /// of the period.
  std::optional<vote_count> count_if_kept(period_id which) const;
  std::size_t periods_kept() const noexcept { return kept_.size(); }

private:
  struct kept_period {
    period_id in;
    std::vector<own_vote> votes;
  };
  std::vector<kept_period>::iterator find(period_id which);
  void keep(period_id in, std::vector<own_vote> votes);
  /// The votes of a period that is kept; marks that period as the one asked for last.
  const std::vector<own_vote>& use(period_id which);

  bool live_ = false;
  bool read_ = false;               // something, so that `live_` means something
  std::optional<period_id> newest_; // ever asked or heard about, or open at birth
  std::vector<kept_period> kept_;   // the one asked for last is last
};

/// The balance of a voter right after a vote: nothing more can be cast on its project.
vote_balance balance_after_vote(const vote_count& cast, const period::voting_period& in);

} // namespace credence::profile
