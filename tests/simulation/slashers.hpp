#pragma once

#include "tests/simulation/asking.hpp"

namespace credence::test {

/// Who opens slashes, votes on them, changes sides, and sometimes cancels one, and the model: a vote
/// that was acknowledged is its voter's ballot, with the weight that was told; one of which nothing
/// is known is stored once or never; what a slash came to follows from its ballots, for good.
class slashers final : public asking {
public:
  using asking::asking;

  /// Somebody does something.
  void act();
  /// Asks again about votes of which nothing is known, until everything is.
  void converge();
  /// What is stored, what was told and what the service knows must be the same.
  void compare();

private:
  struct attempted_opening {
    slash::open_slash question;
    told outcome = told::nothing;
    slash_id id = {}; // as told
  };
  struct attempted_vote {
    slash::cast_slash_vote question;
    told outcome = told::nothing;
  };
  /// A voter votes on a slash once at a time.
  struct voter {
    std::deque<attempted_vote> votes;
    bool under_way = false;
  };
  using whose = std::pair<slash_id, profile_id>;

  void open();
  void judge(attempted_opening& opening, const operation& op, timestamp asked_at,
             const envelope<slash::open_slash>& answered);
  void vote();
  void vote(slash_id which, profile_id who, slash::vote_side side);
  void judge(attempted_vote& vote, const operation& op, bool known, const envelope<slash::cast_slash_vote>& answered);
  void judge_refusal(const attempted_vote& vote, const operation& op, bool known, const refusal& why);
  void cancel();
  void read();
  void judge_shown(const std::string& name, const slash::slash_record& shown, bool was_closed);
  void judge_closed(const std::string& name, slash_id which);

  void compare_openings();
  void compare_votes(const whose& key, const voter& of);
  void compare_sums();
  void compare_slashes();
  void compare_roles();
  void vote_again();
  void vote_too_often(slash_id which);
  void cancel_all();
  /// The outcome of a vote that nothing is in the way of.
  told vote_now(slash_id which, profile_id who, slash::vote_side side);

  using book = simulated_database::slash_book;
  const std::map<slash_id, book>& stored() const { return world_.database().now().slashes; }
  const book* find(slash_id which) const;
  slash_id some_slash();
  bool told_of(slash_id which) const;
  std::size_t times_stored(const attempted_opening& opening) const;

  std::deque<attempted_opening> openings_;
  std::map<whose, voter> voters_;
  std::map<slash_id, slash::closing> ends_; // as they were first seen
};

} // namespace credence::test
