#pragma once

#include "tests/simulation/asking.hpp"

#include <tuple>

namespace credence::test {

/// Who reviews, vouches, replies, votes on that, changes their minds, and the model: what was acknowledged is stored
/// once, under the number that was told; one of which nothing is known once or never; sums are what the records come
/// to, in whatever order they are counted, and in the end every score is what its elements add up to.
class record_writers final : public asking {
public:
  using asking::asking;

  /// Somebody does something.
  void act();
  /// What is stored, what was told and what is counted must be the same.
  void compare();

private:
  /// A record that was to be made, known by its text.
  struct attempt {
    std::string text;
    told outcome = told::nothing;
    std::int32_t number = 0; // as told
  };
  /// How often something was done to a record.
  struct deeds {
    int acknowledged = 0;
    int unknown = 0;
  };

  void review();
  void archive();
  void vouch();
  void move();
  void mark();
  void reply();
  void edit();
  void vote();
  void read();

  /// Asks for a record that is to be made. `stored` counts those with a text; `number_of` takes its number out of the
  /// answer.
  template <class Q>
  void make(std::deque<attempt>& among, Q question, std::function<int(const std::string&)> stored);
  /// Asks for a change, of which `done` counts how often it was done.
  template <class Q>
  void change(const std::string& text, Q question, deeds& done);

  reputation::named_subject somebody_else(profile_id than);
  std::int32_t some_of(std::size_t count);
  const record_book& book() const { return world_.database().now().book; }

  void compare_attempts();
  void compare_votes();
  void compare_sums();
  void compare_order();
  void compare_scores();

  std::deque<attempt> reviews_, vouches_, replies_;
  std::map<reputation::ballot_key, deeds> votes_;
  std::map<vouch_id, deeds> increases_;
  std::map<review_id, deeds> switches_; // archived and restored
  deeds others_;
  /// The votes as they were told: their direction, whether they were withdrawn, and since when. Who asks for what is
  /// there already is told the same again.
  std::map<reputation::ballot_key, std::set<std::tuple<bool, bool, timestamp>>> votes_told_;
  int texts_ = 0;
};

} // namespace credence::test
