#pragma once

#include "actors/reputation/record_storage.hpp"
#include "actors/score/score_work.hpp"
#include "tests/actors/score/score_ledger.hpp"

#include <map>
#include <set>

namespace credence::test {

/// Reviews, vouches, replies and votes, what they count, and the scores that follow: as tables and triggers have them.
/// The user of a profile has its number; subjects are profiles.
///
/// Sums move record by record, as triggers move them (`score_ledger`). Every `apply` answers what the schema would
/// refuse and no actor may ever send; empty when there is nothing.
class record_book {
public:
  /// Whether the run has any.
  bool kept = false;
  bool forgets_marks = false; // a mistake: a score ends the mark of a fact that came after it was worked out
  /// Users 1 to `people`, with their scores at the last epoch.
  void open(int people, score::day epoch);

  std::string apply(const reputation::review_created& change);
  std::string apply(const reputation::review_edited& change);
  std::string apply(const reputation::review_archived& change);
  std::string apply(const reputation::vouch_created& change);
  std::string apply(const reputation::vouch_moved& change);
  std::string apply(const reputation::vouch_marked_unhealthy& change);
  std::string apply(const reputation::reply_created& change);
  std::string apply(const reputation::reply_edited& change);
  std::string apply(const reputation::activity_voted& change);
  std::string apply(const score::score_changed& change);
  std::string apply(const score::epoch_begun& change);
  std::string apply(const score::epoch_page_turned& change);
  std::string apply(const score::vouch_model_turned&) { return "the model is set to another one, and nobody set it"; }
  std::string apply(const score::records_recounted&) {
    return "records are counted anew, and each change counted its own";
  }

  reputation::stored_records load(const reputation::load_records& query, const std::set<profile_id>& profiles) const;
  score::stored_work work(const score::load_work& query) const;
  score::stored_score score_of(user_id who) const;

  struct mark {
    std::int64_t number = 0;
    std::string cause;
  };
  struct shown_score {
    std::int32_t now = people::neutral_score;
    std::vector<std::int32_t> points;
  };

  std::vector<reputation::review_record> reviews; // by their ids, from 1 on
  std::vector<reputation::vouch_record> vouches;
  std::vector<reputation::reply_record> replies;
  std::vector<reputation::activity_vote> votes;  // by their numbers
  std::map<reputation::ballot_key, int> ballots; // how often each was cast
  score::score_ledger sums;
  std::map<user_id, mark> marked;
  std::map<user_id, shown_score> scores;
  score::day epoch{};
  std::optional<score::open_epoch> begun;
  int worked_out = 0; // scores

private:
  /// Moves sums, and marks whoever has others now.
  template <class Move>
  void count(const std::string& cause, Move move);
  const reputation::activity_vote* find(const reputation::ballot_key& which) const;
  std::optional<reputation::activity_row> find(const reputation::activity& activity) const;
  void add_activities(const reputation::record_keys& keys, reputation::stored_records& to) const;

  std::set<reputation::subject_key> named_; // subjects that somebody named
  std::int64_t last_mark_ = 0;
};

} // namespace credence::test
