#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/profile/profile_types.hpp"

#include <vector>

namespace credence::profile {

/// What one profile has cast, by project and period. The votes themselves belong
/// to the projects; this is the voter's committed view of them.
class profile_state {
public:
  /// What the rules need to know about the world at the moment of a question.
  struct surroundings {
    const period::calendar& periods;
    std::int64_t active_projects = 0;
    bool project_known = false;  // the project asked about exists
    bool project_active = false; // and takes votes
  };

  explicit profile_state(stored_profile stored);

  /// Takes in a vote that a project has committed. One that the stored rows
  /// already held (it is not newer than `as_of`) changes nothing.
  void learn(const own_vote& vote, global_seq as_of);

  /// Refuses a period or project that does not exist.
  outcome<balance_view> balance(const get_balance& asked, const surroundings& around) const;
  std::vector<own_vote> votes_in(period_id in) const;

private:
  bool live_;
  global_seq as_of_;
  std::vector<own_vote> votes_;
};

} // namespace credence::profile
