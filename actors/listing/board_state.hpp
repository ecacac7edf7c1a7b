#pragma once

#include "actors/domain/hash.hpp"
#include "actors/listing/listing_types.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace credence::listing {

/// Every listing with what its votes weigh, by period and by day of the last months: what
/// ranking needs. The votes that a page shows come from the projects themselves. Orders that
/// were asked for are kept and follow each report, so that a page costs what it shows.
class board_state {
public:
  /// Days that ranking looks back: all that may be asked for, and the one before.
  static std::chrono::sys_days tallies_from(std::chrono::sys_days today);

  /// Takes in what the store knows. Tallies that a project has reported since are kept when
  /// they include more votes.
  void take(const stored_listing& stored);
  void report(const tally_report& report);
  /// Whether the tallies known of a project lack votes that are stored: it must be asked, so that it reports.
  bool behind(const stored_listing& stored) const;

  struct ranking {
    std::vector<core_ptr> active;   // the page asked for
    std::vector<core_ptr> archived; // with showArchived, at most `limit`
    std::int64_t total = 0;         // active ones that match
    std::vector<mover> movers;
    bool of_somebody = false; // of the owner asked for alone
  };
  /// Active listings by what bullish votes in the period weigh more than bearish ones, then by
  /// what all votes in it weigh, then by id: the best supported first.
  ranking rank(const get_listings& query, period_id in, std::chrono::sys_days today);

  struct selection {
    std::vector<core_ptr> page;
    std::int64_t total = 0;
  };
  /// A page of the active listings, or of the archived ones that are shown, ranked in the same way.
  selection select(bool archived, const page& slice, period_id in);

  /// The listing of a project, or null; one that is nobody's any more is none.
  core_ptr find(project_id which) const;
  /// The listing whose user has this username (letter case does not matter), or null.
  core_ptr find(const std::string& username) const;
  /// Listings that have been looked at, to put all or some in order, since this was made.
  std::size_t looked_at() const noexcept { return looked_at_; }

private:
  struct tallies {
    entity_seq through = 0;
    project::vote_weights all;
    std::vector<project::day_tally> days;       // in order of days, the last months alone
    std::vector<project::period_tally> periods; // in order of periods
    project::vote_weights in(period_id period) const;
  };
  struct known {
    core_ptr core; // null: it has been reported, and not read yet
    tallies votes;
  };
  /// Sorted keys, one a listing. What changes is taken out under its old key and put in under its new one.
  struct place {
    std::int64_t first = 0; // less is better
    std::int64_t second = 0;
    project_id id;
    friend auto operator<=>(const place&, const place&) = default;
  };
  struct order {
    period_id in;
    std::vector<place> active;
    std::vector<place> archived;
  };
  struct movement {
    std::int32_t window = 0;
    std::chrono::sys_days today{};
    std::vector<place> moved; // active ones whose share has changed
  };

  /// Nobody finds the listing any more by what it was.
  void forget_names(const listing_core& core);
  static place place_in(const known& of, period_id in);
  place place_moved(const known& of, const movement& in) const;
  mover mover_of(const known& of, std::chrono::sys_days today, std::int32_t window) const;
  const order& order_of(period_id in);
  const movement& movement_of(std::int32_t window, std::chrono::sys_days today);
  /// Takes the listing out of all orders that are kept, or puts it in.
  void enter(const known& which, bool in);
  std::vector<const known*> owned_by(const listing_owner& whose) const;
  ranking rank_alone(const std::vector<const known*>& those, const get_listings& query, period_id in,
                     std::chrono::sys_days today) const;

  std::map<project_id, known> all_;
  std::unordered_map<std::string, project_id, keyed_hash> by_username_; // lower case
  std::unordered_map<std::string, project_id, keyed_hash> by_userkey_;
  std::unordered_map<user_id, project_id> by_user_;
  std::vector<order> orders_;       // asked for last in front, at most `orders_max`
  std::vector<movement> movements_; // likewise
  std::size_t looked_at_ = 0;
};

} // namespace credence::listing
