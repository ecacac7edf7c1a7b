#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/score/score_types.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Scores as they are worked out, shown and stored: what is asked, what changes, what is read.
namespace credence::score {

/// Users whose score is worked out in one go, at most.
inline constexpr std::int32_t worked_out_together = 500;
/// Users that are marked in one go when the model of vouched ether is another one.
inline constexpr std::int32_t marked_together = 1000;
/// Records that a piece of an epoch moves, at most; their authors' scores become epoch scores.
inline constexpr std::int32_t epoch_piece_rows = 250;
/// Records that a piece of a recount counts anew, at most.
inline constexpr std::int32_t recount_piece_rows = 100;
/// Users whose scores have changed that a list of them goes down to, and counts.
inline constexpr std::int32_t updates_depth_max = 10'000;
/// The newest rows of a history that one answer shows.
inline constexpr std::int32_t history_rows_max = 1000;

// -- questions ----------------------------------------------------------------

/// What the score of a user consists of now. A user that is not there (0: nobody is known) has no elements and 1200.
struct get_breakdown {
  using answer_type = breakdown;
  user_id user;
};

/// Whether a score is about to be worked out anew.
enum class progress : std::uint8_t {
  idle,
  queued,      // a fact or a day has come that it does not show yet
  calculating, // worked out, and on its way to the database
};
inline constexpr std::array<std::string_view, 3> progress_names{"idle", "queued", "calculating"};
struct get_progress {
  using answer_type = progress;
  user_id user;
};

/// How a score became what it is.
struct history_entry {
  timestamp at{};
  day on{}; // the day it was worked out for
  std::int32_t score = 0;
  std::vector<std::int32_t> points; // by `element`
  std::string cause;                // such as `api review 12`, `epoch 2026-11-22`, `recompute`
};
struct score_history {
  std::vector<history_entry> entries; // oldest first
};
/// The newest `history_rows_max` changes of a user's score since a moment.
struct get_history {
  using answer_type = score_history;
  user_id user;
  timestamp since{};
};

/// Somebody whose score has changed, by whatever names that user: the profile, else a wallet, else an account.
struct score_update {
  user_id user;
  std::optional<profile_id> profile;
  std::optional<address> wallet;
  std::optional<std::string> account; // `service:x.com:123`
  timestamp at{};                     // of the last change
};
struct score_updates {
  std::vector<score_update> users; // of the page; the earliest change first
  std::int64_t total = 0;          // counted up to `updates_depth_max`
};
/// Whose scores have changed after a moment, and up to another. Only the first `updates_depth_max` are told: for more,
/// ask again with the last moment told as `after`.
struct get_updates {
  using answer_type = score_updates;
  timestamp after{};
  page slice;
  std::optional<timestamp> until = {};
};

// -- changes ------------------------------------------------------------------

/// A score was worked out: the user's score, a row of history where anything is another, and no mark left of those
/// seen.
struct score_changed {
  user_id user;
  std::int32_t score = 0;
  std::vector<std::int32_t> points; // by `element`
  day on{};
  std::string cause;
  timestamp at{};
  std::int64_t mark = 0; // up to which the user's facts were seen
};

/// From now on scores become epoch scores, piece by piece.
struct epoch_begun {
  day on{};
  timestamp at{};
};
/// The next piece of an epoch, of `most` records: first scores become epoch scores with the sums that
/// contain those, then young ether becomes mature, then those who come to another age are marked. The last one ends the
/// epoch. Does nothing unless `step` pieces are done.
struct epoch_page_turned {
  day on{};
  std::int32_t step = 0;
  std::int32_t most = epoch_piece_rows;
  timestamp at{};
};

/// Scores are worked out by another model of vouched ether from now on: marks the next `marked_together` users, and
/// does nothing when everybody is marked for that model already.
struct vouch_model_turned {
  vouch_model model{};
  timestamp at{};
};

/// Counts the next records anew that a change left to be counted in pieces, `most` of them: those that have waited
/// longest. Does nothing when nothing is left.
struct records_recounted {
  std::int32_t most = recount_piece_rows;
  timestamp at{};
};

// -- loading ------------------------------------------------------------------

struct load_score {
  user_id user;
};
struct stored_score {
  score_inputs inputs;
  day on{};           // the day that the inputs are of
  bool dirty = false; // a fact or a day has come that the score does not show yet
  bool ahead = false; // the inputs hold ether of a later day than sums can be of: an epoch is due
};

/// Users to be worked out, those marked first before others.
struct load_work {
  std::int32_t most = 0;
  bool recounts_first = false; // no users while a recount can go on
  bool counts = true;          // what waits is counted as well
};
struct dirty_user {
  user_id user;
  std::int64_t mark = 0;
  std::string cause;
  score_inputs inputs;
};
struct open_epoch {
  day on{};
  std::int32_t step = 0; // pieces that are done
};
struct stored_work {
  std::optional<day> epoch;        // the newest that has ended; there is always one in a database
  std::optional<open_epoch> begun; // the one under way
  std::int64_t last_mark = 0;      // given so far
  std::int64_t waiting = 0;        // where that is asked: users, counted up to 100,000
  std::optional<timestamp> oldest; // and when the first of them was marked
  vouch_model model{};             // that scores are worked out by
  bool model_in_progress = false;  // not everybody is marked yet for that model
  std::int64_t recounts = 0;       // and changes that left records to be counted anew, counted up to 1,000
  bool recount_due = false;        // one of those can go on
  /// None of those who hold ether of a later day than `epoch`: they wait for the next.
  std::vector<dirty_user> users;
};

} // namespace credence::score

/// What scores write and read. All of it is derived from records: nothing takes a global number.
namespace credence {

template <>
struct fact<score::score_changed> : without_effect<score::score_changed> {
  static constexpr bool derived = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, (user_id, user), score, points, (day, on), cause, at, mark);
};

template <>
struct fact<score::epoch_begun> : without_effect<score::epoch_begun> {
  static constexpr bool derived = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, (day, on), at);
};

template <>
struct fact<score::epoch_page_turned> : without_effect<score::epoch_page_turned> {
  static constexpr bool alone = true, derived = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, (day, on), step, most, at);
};

template <>
struct fact<score::vouch_model_turned> : without_effect<score::vouch_model_turned> {
  static constexpr bool derived = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, model, at);
};

template <>
struct fact<score::records_recounted> : without_effect<score::records_recounted> {
  static constexpr bool alone = true, derived = true;
  static constexpr auto fields = CREDENCE_FIELDS(of, most, at);
};

namespace score {
/// What is written and what is asked.
struct storage {
  using facts = types<score_changed, epoch_begun, epoch_page_turned, vouch_model_turned, records_recounted>;
  using loads =
    types<load<load_work, stored_work>, load<load_score, stored_score>, load<get_history>, load<get_updates>>;
};
} // namespace score

} // namespace credence
