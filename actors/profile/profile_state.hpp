#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/profile/profile_types.hpp"

#include <utility>
#include <vector>

namespace credence::profile {

/// What one profile has cast, by project and period. The votes themselves belong
/// to the projects; this is the voter's committed view of them.
class profile_state {
public:
  /// What the rules need to know about the world at the moment of a question.
  struct surroundings {
    const period::calendar& periods;
    const listing::project_index& projects;
  };

  explicit profile_state(stored_profile stored);

  /// Takes in a vote that a project has committed. One that the stored rows
  /// already held (it is not newer than `as_of`) changes nothing.
  void learn(const own_vote& vote, global_seq as_of);

  /// Refuses a period or project that does not exist.
  outcome<balance_view> balance(const get_balance& asked, const surroundings& around) const;
  std::vector<own_vote> votes_in(period_id in) const;

private:
  using votes = std::vector<own_vote>;
  /// The votes in one period.
  std::pair<votes::const_iterator, votes::const_iterator> in(period_id which) const;

  bool live_;
  global_seq as_of_;
  votes votes_; // in order of their periods
};

} // namespace credence::profile
