#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "actors/listing/listing_types.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::listing {

/// Every listing with its vote tallies by day: what ranking needs. The votes that
/// a page shows come from the projects themselves.
class board_state {
public:
  /// Takes in what the store knows. Tallies that a project has reported since
  /// are kept when they include more votes.
  void load(const stored_listings& stored);
  void report(const tally_report& report);

  struct ranking {
    std::vector<core_ptr> active;   // the page asked for
    std::vector<core_ptr> archived; // with showArchived, at most `limit`
    std::int64_t total = 0;         // active ones that match
    std::vector<mover> movers;
  };
  /// Active listings by bullish minus bearish votes in the period, then by all
  /// votes in it, then by id: the best supported first.
  ranking rank(const get_listings& asked, period_id in, std::chrono::sys_days today) const;

  /// The listing whose user has this username (letter case does not matter), or null.
  core_ptr find(const std::string& username) const;
  /// Listings whose stored tallies lag behind their votes: their projects must be
  /// asked once, so that they report.
  const std::vector<project_id>& behind() const noexcept { return behind_; }
  const std::map<project_id, core_ptr>& cores() const noexcept { return cores_; }

private:
  struct tallies {
    entity_seq through = 0;
    std::vector<project::day_tally> days;
  };
  std::map<project_id, core_ptr> cores_;
  std::unordered_map<std::string, project_id, keyed_hash> by_username_; // lower case
  std::unordered_map<project_id, tallies> tallies_;
  std::vector<project_id> behind_;
};

} // namespace credence::listing
