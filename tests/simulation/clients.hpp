#pragma once

#include "tests/simulation/asking.hpp"

#include <cstddef>

namespace credence::test {

/// Clients that vote, read and open periods, and the model of what each of them was told: it
/// judges every answer as it comes, and at the end what is stored.
class clients final : public asking {
public:
  using asking::asking;

  /// Some profile votes on some project.
  void vote();
  /// Some profile tips another one.
  void tip();
  /// Somebody reads something.
  void read();
  void advance_period();
  /// Asks for some profiles, as many as stay in memory if nobody asks for others.
  void look_at_profiles();
  /// Those profiles, which have not been loaded again for long, know what is stored.
  void compare_profiles();
  /// No more periods were opened than clients asked for.
  void compare_periods();

  /// Asks again about what is unknown, as clients are told to, until everything is known.
  void converge();
  /// What is stored, what clients were told and what the actors say must be the same.
  void compare();

private:
  struct attempted_vote {
    int voter;
    int project;
    project::sentiment side;
    std::string reason;
    told outcome = told::nothing;
  };

  struct attempted_tip {
    profile::send_tip tip;
    told outcome = told::nothing;
  };

  template <class Door, class Q, class Judge>
  void read_all_votes(Door directory::*whom, const char* text, int project, Q question, Judge judge);

  void vote(attempted_vote& vote);
  void judge_vote(operation& op, attempted_vote& vote, const envelope<project::cast_vote>& answered);
  void judge_balance_after(const attempted_vote& vote, const profile::vote_balance& shown, period_id in,
                           std::size_t least);
  void put_tip(attempted_tip& tip);
  void judge_tip(attempted_tip& tip, const envelope<profile::send_tip>& answered);
  std::size_t times_stored(const attempted_tip& tip, std::int64_t id) const;
  void compare_tips();
  profile_id taker_after(int sender, int among);
  void spend_everything();
  void compare_votes_of(int voter);
  void compare_xp_of(int sender, int receiver);
  void read_voters(int project);
  void read_totals(int project);
  void read_chart(int project);
  void read_listing(int project);
  void read_balance();
  void judge_prefix(const operation& op, int project, std::size_t at_least, std::size_t count);
  void judge_voters(const operation& op, int project, const project::voters_page& page);

  // what is stored, as the model sees it
  const std::vector<simulated_database::cast>& stored(int project) const;
  std::size_t times_stored(const attempted_vote& vote) const;
  std::size_t acknowledged_prefix(int project) const;
  std::size_t votes_of(int voter, period_id in, bool only_acknowledged) const;
  bool voted(const attempted_vote& vote) const;
  bool stored_in_a_closed_period(const attempted_vote& vote) const;

  int some_project() { return 1 + static_cast<int>(world_.chance().below(world::projects)); }

  std::deque<attempted_vote> attempts_;
  std::deque<attempted_tip> tips_;
  std::set<std::string> acknowledged_; // by reason
  std::size_t advances_ = 0;           // of the period, asked for
};

} // namespace credence::test
